/**
 * PostgreSQL on a disk that loses power, started as the service starts it, with clients that commit
 * transactions and remember which ones were acknowledged.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { Random } from '../../../renderer/random.ts';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { deleteFolder, makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import type { Findings } from '../fault-test.ts';
import { connectTo, damages, homeOn, messagesOf } from './cluster.ts';
import { PowerDisk, type PoweredProcess } from './disk.ts';
import type { CutTarget } from './trial.ts';

const program = fileURLToPath(new URL('./database-program.ts', import.meta.url));
const pollMs = 10;
const responseMsMax = 60_000;
const outputCharactersMax = 2000;

const writers = 4;
const writerPauseMs = 2;
const accounts = 5;
/** Most are stored out of line, the longest over several pages. */
const bodyBytesMax = 6000;
/** A new WAL segment must be found after a cut, too. */
const commitsPerSegment = 150;

const schema = `
  create table if not exists balances (
    account int primary key, balance bigint not null, entries int not null);
  create table if not exists entries (
    number int primary key, account int not null references balances, amount int not null,
    body text not null, digest text not null);
  create index if not exists entries_by_account on entries (account, number);
  insert into balances select account, 0, 0 from generate_series(1, ${accounts}) account
    on conflict do nothing`;

const inspections = [
  `select format('entry %s is there twice', number) as message
   from entries group by number having count(*) > 1`,
  `select format('entry %s has another content', number) as message
   from entries where md5(body) <> digest`,
  `select format('balance %s is %s with %s entries', account, balance, b.entries) as message
   from balances b where (balance, b.entries) <>
     (select coalesce(sum(amount), 0), count(*) from entries where account = b.account)`,
];

export type DatabaseTargetOptions = {
  /** Plants a fault: PostgreSQL acknowledges commits before they are on the disk. */
  readonly hasFsync?: boolean;
};

/** A held resource: the disk and the last process on it. */
export class DatabaseTarget implements CutTarget {
  readonly name = 'PostgreSQL';
  readonly disk: PowerDisk;
  readonly #folder: string;
  readonly #logFile: string;
  readonly #args: readonly string[];
  readonly #acknowledged = new Set<number>();
  #inspected = 0;
  #lastNumber = 0;
  #child: ChildProcess | undefined;
  #isReady = false;
  /** Increased by each start: writers of earlier processes end. */
  #starts = 0;
  #loadedStart = 0;

  private constructor(parts: { folder: string; disk: PowerDisk; args: readonly string[] }) {
    ({ folder: this.#folder, disk: this.disk, args: this.#args } = parts);
    this.#logFile = join(parts.folder, 'database.log');
  }

  static async open({ hasFsync = true }: DatabaseTargetOptions = {}): Promise<DatabaseTarget> {
    const folder = makeTemporaryFolder('power');
    const disk = await PowerDisk.make(folder);
    const args = [program, homeOn(disk), ...(hasFsync ? [] : ['--no-fsync'])];
    return new DatabaseTarget({ folder, disk, args });
  }

  start(random: Random): void {
    const [command = '', ...args] = this.disk.mountCommand(random);
    const log = openSync(this.#logFile, 'a');
    const child = spawn(command, [...args, process.execPath, ...this.#args], {
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    [this.#child, this.#isReady] = [child, false];
    this.#starts += 1;
    child.once('message', () => {
      this.#isReady = true;
    });
  }

  async waitUntilServing(): Promise<void> {
    await this.#waitFor('start', () => this.#isReady);
  }

  async startLoad(): Promise<void> {
    if (this.#loadedStart === this.#starts) return;
    this.#loadedStart = this.#starts;
    const client = await connectTo(this.disk, this.process);
    await client.query(schema);
    await client.end();
    // After a cut every statement fails.
    for (let nth = 0; nth < writers; nth++) void this.#write().catch(() => {});
  }

  async startCheckpoint(): Promise<void> {
    const client = await connectTo(this.disk, this.process);
    void client.query('checkpoint').catch(() => {});
  }

  async inspect(): Promise<Findings> {
    const total = this.#acknowledged.size;
    const client = await connectTo(this.disk, this.process);
    await client.query(schema);
    const { rows } = await client.query<{ number: number }>('select number from entries');
    const kept = new Set(rows.map(({ number }) => number));
    const lost = [...this.#acknowledged].filter((number) => !kept.has(number));
    const broken = await damages(client);
    for (const inspection of inspections) broken.push(...(await messagesOf(client, inspection)));
    await client.end();
    await this.startLoad();
    await this.#waitFor('commit', () => this.#acknowledged.size > total);
    const acknowledged = total - this.#inspected;
    this.#inspected = total;
    const empty = { doubled: [], unfinished: [] };
    return { acknowledged, lost: lost.map((one) => `entry ${one}`), broken, ...empty };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child) await this.process.kill();
    await this.disk.waitUntilReleased();
    deleteFolder(this.#folder);
  }

  get process(): PoweredProcess {
    const child = this.#child!;
    return {
      pid: child.pid!,
      async kill() {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  }

  async #write(): Promise<void> {
    const start = this.#starts;
    const client = await connectTo(this.disk, this.process);
    while (this.#starts === start) {
      const number = ++this.#lastNumber;
      await commit(client, number);
      this.#acknowledged.add(number);
      if (number % commitsPerSegment === 0) await client.query('select pg_switch_wal()');
      await sleep(writerPauseMs);
    }
    await client.end();
  }

  async #waitFor(what: string, isDone: () => boolean): Promise<void> {
    const fromMs = monotonicMs();
    while (!isDone()) {
      const { exitCode, signalCode } = this.#child!;
      const hasExited = exitCode !== null || signalCode !== null;
      if (hasExited || monotonicMs() - fromMs > responseMsMax) {
        const output = readFileSync(this.#logFile, 'utf8').slice(-outputCharactersMax);
        throw new Error(`PostgreSQL did not ${what}: ${output}`);
      }
      await sleep(pollMs);
    }
  }
}

/** One transaction over two tables. */
async function commit(client: pg.Client, number: number): Promise<void> {
  const account = 1 + (number % accounts);
  const amount = (number % 100) - 30;
  const body = randomBytes(1 + ((number * 7919) % bodyBytesMax)).toString('hex');
  await client.query('begin');
  await client.query('insert into entries values ($1, $2, $3, $4, md5($4))', [
    ...[number, account, amount],
    body,
  ]);
  await client.query(
    'update balances set balance = balance + $2, entries = entries + 1 where account = $1',
    [account, amount],
  );
  await client.query('commit');
}
