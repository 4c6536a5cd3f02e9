/**
 * The whole service on a disk that loses power: its home directory with the database and the
 * results. The provider, the receiver and the clients have other power and see every response.
 */
import { closeSync, openSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { between, type Random } from '../../../renderer/random.ts';
import { databaseUser } from '../../../server/database/postgres-cluster.ts';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { resultVideoPath } from '../../kit/result-server.ts';
import { clientOf } from '../../kit/service.ts';
import { deleteFolder, makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import { isDelivered } from '../../kit/unmarked.ts';
import type { Findings } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';
import { PowerDisk } from './disk.ts';

export const firstCutTimes = ['soon after the first start', 'during the first start'] as const;
export const laterCutTimes = [
  'under load',
  'during a checkpoint',
  'while it starts after a cut',
] as const;
type CutTime = (typeof firstCutTimes)[number] | (typeof laterCutTimes)[number];

const connectMsMax = 10_000;
/** Reading every page takes long on a busy machine. */
const queryMsMax = 60_000;
/** Load after the start: new tasks and those from before the cut must not block each other. */
const afterwardsMs = 300;
const loadMs = { from: 200, to: 1500 };
const soonMs = { from: 0, to: 600 };
const checkpointMs = { from: 0, to: 150 };
/** Cuts while it starts also come soon after it serves. */
const startShare = { from: 0, to: 1.25 };
/** How long the last start took, on a new disk and on one in use. */
const startMs = { first: 5000, later: 2500 };

/** A held resource: the installation around the service, and the disk. */
export class PoweredService implements AsyncDisposable {
  readonly #folder: string;
  readonly #disk: PowerDisk;
  readonly #installation: Installation;
  #process: ServiceProcess | undefined;
  #inspected = 0;

  private constructor(folder: string, disk: PowerDisk, installation: Installation) {
    this.#folder = folder;
    this.#disk = disk;
    this.#installation = installation;
  }

  static async open(): Promise<PoweredService> {
    const folder = makeTemporaryFolder('power');
    const disk = await PowerDisk.make(folder);
    return new PoweredService(folder, disk, await Installation.open());
  }

  /** Cuts the power at that time, starts the service again and inspects what it has kept. */
  async cut(time: CutTime, random: Random): Promise<Findings> {
    await this.#cutAt(time, random);
    if (time === 'while it starts after a cut') await this.#cutDuringStart('later', random);
    await this.#start(random);
    return { ...(await this.#inspect()), label: time };
  }

  /** Whether a cut loses a file that was written and not synced; otherwise it proves nothing. */
  async losesUnsynced(random: Random): Promise<boolean> {
    await this.#start(random);
    const unsynced = () => this.#disk.pathIn(this.#process!, join(this.#home, 'unsynced'));
    const cut = this.#disk.prepareCut(this.#process!, random);
    writeFileSync(unsynced(), 'not on the disk');
    await cut();
    await this.#start(random);
    return (statSync(unsynced(), { throwIfNoEntry: false })?.size ?? 0) === 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#installation.close();
    await this.#disk.waitUntilReleased();
    deleteFolder(this.#folder);
  }

  async #cutAt(time: CutTime, random: Random): Promise<void> {
    if (time === 'during the first start') return await this.#cutDuringStart('first', random);
    if (!this.#process) await this.#start(random);
    await this.#startLoad();
    await sleep(between(random, time === 'soon after the first start' ? soonMs : loadMs));
    const cut = this.#disk.prepareCut(this.#process!, random);
    if (time === 'during a checkpoint') {
      const client = await this.#connect();
      void client.query('checkpoint').catch(() => {});
      await sleep(between(random, checkpointMs));
    }
    await cut();
  }

  async #cutDuringStart(which: keyof typeof startMs, random: Random): Promise<void> {
    const process = this.#launch(random);
    await this.#disk.waitUntilMounted(process);
    await sleep(startMs[which] * between(random, startShare));
    await this.#disk.prepareCut(process, random)();
  }

  async #start(random: Random): Promise<void> {
    const which = this.#process ? 'later' : 'first';
    const fromMs = monotonicMs();
    await this.#launch(random).waitUntilServing();
    startMs[which] = monotonicMs() - fromMs;
  }

  #launch(random: Random): ServiceProcess {
    this.#process = this.#installation.start({
      through: this.#disk.mountCommand(random),
      environment: { VIDGEN_HOME: this.#home, VIDGEN_DATABASE_URL: '' },
    });
    return this.#process;
  }

  async #startLoad(): Promise<void> {
    await this.#installation.account();
    this.#installation.clients.start();
  }

  /** Inspects what the service has kept; it must also accept new work. */
  async #inspect(): Promise<Findings> {
    const { clients } = this.#installation;
    await this.#startLoad();
    await sleep(afterwardsMs);
    await clients.stop();
    const taskNumbers = clients.taskNumbers(this.#inspected);
    this.#inspected += taskNumbers.length;
    const findings = await inspectEnd(this.#installation, { taskNumbers });
    const client = await this.#connect();
    const damaged = await damages(client);
    await client.end();
    const files = await this.#damagedResults();
    return { ...findings, broken: [...findings.broken, ...damaged, ...files] };
  }

  /** Completed tasks of any cut whose result is not the whole file. */
  async #damagedResults(): Promise<string[]> {
    const { clients, completed, url } = this.#installation;
    const { key } = await this.#installation.account();
    const video = await readFile(resultVideoPath);
    const found: string[] = [];
    for (const taskNumber of completed) {
      const taskId = clients.acknowledged.get(taskNumber)!;
      const { data } = await clientOf(url, key).task(taskId);
      for (const result of data?.results ?? ['']) {
        const bytes = await fetch(result).then((response) => response.arrayBuffer());
        if (isDelivered(Buffer.from(bytes), video)) continue;
        found.push(`a result of ${taskId} has other content: ${bytes.byteLength} bytes`);
      }
    }
    return found;
  }

  /** Connects to the PostgreSQL on the disk. Errors of a cut connection are ignored. */
  async #connect(): Promise<pg.Client> {
    const folder = openSync(this.#disk.pathIn(this.#process!, join(this.#home, 'postgres')), 'r');
    try {
      // By its descriptor: a path in another namespace can be too long for a socket.
      const host = `/proc/self/fd/${folder}`;
      const options = { user: databaseUser, database: 'postgres', query_timeout: queryMsMax };
      const client = new pg.Client({ host, ...options, connectionTimeoutMillis: connectMsMax });
      client.on('error', () => {});
      await client.connect();
      return client;
    } finally {
      closeSync(folder);
    }
  }

  get #home(): string {
    return join(this.#disk.path, 'home');
  }
}

const inspections = [
  // Every page of every table, those of the catalog included.
  `select format('%s, block %s: %s', oid::regclass, blkno, msg) as message
   from pg_class, verify_heapam(oid) where relkind in ('r', 't', 'm') and relpersistence = 'p'`,
  // Every B-tree, compared with its table; the result is empty, and damage is an error.
  `select bt_index_parent_check(c.oid, heapallindexed => true, rootdescend => true)::text as message
   from pg_class c join pg_am a on a.oid = c.relam
   where a.amname = 'btree' and c.relkind = 'i' and c.relpersistence = 'p'`,
];

/** Reads all tables and indexes; one message per damage. */
async function damages(client: pg.Client): Promise<string[]> {
  await client.query('create extension if not exists amcheck');
  const found: string[] = [];
  for (const inspection of inspections) {
    const { rows } = await client
      .query<{ message: string }>(inspection)
      .catch(({ message }: Error) => ({ rows: [{ message }] }));
    found.push(...rows.map(({ message }) => message).filter((message) => message !== ''));
  }
  return found;
}
