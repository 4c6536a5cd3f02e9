/** Starts the bare server, which is the limit beside creates and status requests. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Database } from '../../server/database/database.ts';
import type { SeededAccount } from '../kit/seed.ts';
import { startDatabase } from './database.ts';

export type BareAccount = SeededAccount;
export type BareOptions = {
  readonly databaseUrl: string;
  /** What the service adds to a request that leaves it out. */
  readonly create: { readonly credits: number; readonly generation: object };
};
export type BareMessage =
  | { readonly batchSize: number }
  | { readonly accounts: readonly BareAccount[] };
/** The columns of a task that a status response is made of. */
export type BareRow = { readonly id: string };

export type BareServer = Awaited<ReturnType<typeof startBareServer>>;

type BareServerOptions = {
  readonly folder: string;
  readonly accounts: readonly BareAccount[];
  /** The service's database, from which a task and the rows to read are taken. */
  readonly like: Database;
};

export async function startBareServer(options: BareServerOptions) {
  const { folder, accounts, like } = options;
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await startDatabase(folder));
  await loosen(database.db);
  await copyTasks(like, database.db);
  const [task] = (
    await like.query<{ credits: number; generation: object }>(
      'select credits, generation from tasks limit 1',
    )
  ).rows;
  const given: BareOptions = { databaseUrl: database.url, create: task! };
  const server = fork(new URL('./bare-server.ts', import.meta.url), [JSON.stringify(given)]);
  stack.defer(() => void server.kill());
  const [port] = (await once(server, 'message')) as [number];
  const send = (message: BareMessage) => void server.send(message);
  send({ accounts });
  const owned = stack.move();
  return {
    database,
    port,
    pid: server.pid!,
    setBatchSize: (batchSize: number): void => send({ batchSize }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Replaces the tables that a create inserts into by tables without constraints and indexes. */
async function loosen(db: Database): Promise<void> {
  await db.query(
    ['tasks', 'ledger_entries', 'jobs']
      .map(
        (name) =>
          `create table loose (like ${name} including defaults including identity);
           drop table ${name} cascade; alter table loose rename to ${name};`,
      )
      .join('\n'),
  );
  await db.query('create table read_tasks (like tasks including defaults, primary key (id))');
}

/** Tasks whose status is read: the same rows, found by their key. */
async function copyTasks(from: Database, to: Database): Promise<void> {
  const { rows } = await from.query<{ all: unknown }>(
    'select json_agg(t) as all from (select * from tasks order by id limit 1000) t',
  );
  await to.query(
    'insert into read_tasks select * from json_populate_recordset(null::read_tasks, $1)',
    [JSON.stringify(rows[0]!.all)],
  );
  await to.query('analyze read_tasks');
}
