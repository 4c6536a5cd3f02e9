/**
 * A process that uses the own database of a home directory like the service does, without the rest
 * of the service. Tests kill it and the processes it started, and run it as other users.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openOwnPostgres } from '../../server/database/own-postgres.ts';
import { lockHome } from '../../server/process/home-lock.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { waitUntil } from './wait-until.ts';

type Message =
  | { readonly ready: string }
  | { readonly failed: string; readonly kind: string }
  | { readonly drained: unknown };

export type OwnDatabaseOptions = Pick<SpawnOptions, 'uid' | 'gid' | 'env'> & {
  /** Shares the home with other processes. */
  readonly isShared?: boolean;
  /** Runs the server as on another system. */
  readonly platform?: NodeJS.Platform;
};

if (import.meta.main) await main(JSON.parse(process.argv[2]!));

type ProcessOptions = Pick<OwnDatabaseOptions, 'isShared' | 'platform'> & { readonly home: string };

async function main({ home, isShared = false, platform }: ProcessOptions): Promise<void> {
  const send = (message: Message) => void process.stdout.write(`${JSON.stringify(message)}\n`);
  try {
    using _lock = lockHome(home, { isShared });
    const log = createLog('warn');
    const server = await openOwnPostgres({ home, log, ...(platform ? { platform } : {}) });
    const stop = Promise.race([once(process.stdin.resume(), 'end'), once(process, 'SIGTERM')]);
    // As the service does, which finishes its work after Ctrl-C: with new connections, too.
    process.once('SIGINT', async () => {
      send({ drained: await queryOn(server.url, 'select count(*)::int from acknowledged') });
      process.emit('SIGTERM');
    });
    send({ ready: server.url });
    await stop;
    await server.stop();
    process.exit(0);
  } catch (error) {
    const { message, name } = error as Error;
    send({ failed: message, kind: name });
    process.exit(1);
  }
}

export async function queryOn(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end().catch(() => {});
  }
}

/** A started process; `ready` resolves to the URL of the database, or rejects with its error. */
export class OwnDatabase implements AsyncDisposable {
  readonly home: string;
  readonly process: ChildProcess;
  readonly ready: Promise<string>;
  readonly exited: Promise<unknown>;
  readonly messages: Message[] = [];

  constructor(home: string, { isShared, platform, ...options }: OwnDatabaseOptions = {}) {
    this.home = home;
    const args = [fileURLToPath(import.meta.url), JSON.stringify({ home, isShared, platform })];
    // A process group of its own, as for a command in a terminal.
    this.process = spawn(process.execPath, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
      ...options,
    });
    this.exited = once(this.process, 'exit');
    this.ready = this.#read();
    // A test that expects a failure awaits it later.
    this.ready.catch(() => {});
  }

  async #read(): Promise<string> {
    const lines = createInterface({ input: this.process.stdout! });
    return await new Promise((resolve, reject) => {
      lines.on('close', () => reject(new Error('the process ended before it was ready')));
      lines.on('line', (line) => {
        const message = JSON.parse(line) as Message;
        this.messages.push(message);
        if ('ready' in message) resolve(message.ready);
        if ('failed' in message) {
          reject(Object.assign(new Error(message.failed), { name: message.kind }));
        }
      });
    });
  }

  /** Runs a statement, again until the server accepts connections. */
  async query(text: string): Promise<unknown[]> {
    const url = await this.ready;
    return await waitUntil(() => queryOn(url, text).catch(() => null));
  }

  /** The server and the two shells that keep it, of the session they share. Linux only. */
  get processes(): { postmaster: number; keepers: number[] } {
    const postmaster = Number.parseInt(
      readFileSync(join(this.home, 'postgres/postmaster.pid'), 'utf8'),
      10,
    );
    const session = statOf(postmaster)?.session;
    const keepers = readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && pid !== postmaster)
      .filter((pid) => statOf(pid)?.session === session && statOf(pid)?.name === 'sh');
    return { postmaster, keepers };
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
  }

  async stop(): Promise<void> {
    this.process.stdin?.end();
    await this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.stop();
  }
}

type ProcessStat = { readonly name: string; readonly state: string; readonly session: number };

function statOf(pid: number): ProcessStat | undefined {
  try {
    const [, name = '', rest = ''] =
      /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const [state = '', , , session] = rest.split(' ');
    return { name, state, session: Number(session) };
  } catch {
    return undefined;
  }
}

/** Whether there is such a process that has not ended. */
export function isRunning(pid: number): boolean {
  const state = statOf(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}
