/**
 * The PostgreSQL of a soak run: one of its own with the settings of production, which can be killed
 * and comes back on the same files; or a database on a server that is given, which cannot.
 */
import { sleep } from '../../../server/clock.ts';
import { cloneDatabase, databaseUrl, onServer } from '../../kit/postgres.ts';
import { Cluster } from '../database/cluster.ts';

export type SoakDatabase = {
  readonly url: string;
  /** `kill -9` of the server's first process, and a start. Null: the server is somebody else's. */
  readonly crash: ((awayMs: number) => Promise<void>) | null;
  close(): Promise<void>;
};

/** On a server of `npm test`, with what it has prepared there. */
export async function borrowDatabase(serverUrl: string): Promise<SoakDatabase> {
  const template = process.env.VIDGEN_TEST_TEMPLATE ?? 'template0';
  const { url, drop } = await cloneDatabase(serverUrl, template);
  return { url, crash: null, close: drop };
}

export async function openOwnDatabase(): Promise<SoakDatabase> {
  const cluster = await Cluster.make();
  await onServer(cluster.url, 'create database vidgen');
  return {
    url: databaseUrl(cluster.url, 'vidgen'),
    async crash(awayMs) {
      await cluster.stop('kill');
      await sleep(awayMs);
      await cluster.start();
    },
    close: () => cluster.close(),
  };
}
