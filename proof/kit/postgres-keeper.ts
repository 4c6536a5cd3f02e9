/**
 * The process that runs a temporary PostgreSQL for a test process. It prints the URL on the first
 * line, and stops the server and deletes its files when its input closes: at `stop`, or when the
 * test process dies. The next keeper deletes what a killed one left.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Binaries, findBinaries, postgresUser, type User } from './postgres-binaries.ts';
import { deleteFolder, makeTemporaryFolder } from './temporary-folder.ts';

export type KeeperMessage = { readonly url: string } | { readonly failed: string };

const startsMax = 5;

/** Faster tests; a crash of the machine loses the data. */
const unsafeSettings = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'];
/** Benchmarks must write to disk as in production. */
const isDurable = process.argv[2] === '--durable';

const settings = [
  ...(isDurable ? [] : unsafeSettings),
  `shared_buffers=${isDurable ? 512 : 64}MB`,
  `max_connections=${100 + 50 * availableParallelism()}`,
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'dynamic_shared_memory_type=mmap',
].flatMap((setting) => ['-c', setting]);

if (import.meta.main) await keepServer();

async function keepServer(): Promise<void> {
  // A server whose files were deleted here ends within a minute.
  const folder = makeTemporaryFolder('postgres');
  const letGo = inputClosed();
  try {
    const { server, url } = await startIn(folder);
    send({ url });
    await letGo;
    await end(server);
  } catch (error) {
    send({ failed: (error as Error).message });
  } finally {
    deleteFolder(folder);
  }
  process.exit();
}

function send(message: KeeperMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function inputClosed(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.on('close', resolve).resume();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
    // The test process may end before the URL is printed.
    process.stdout.on('error', () => resolve());
  });
}

async function startIn(folder: string): Promise<{ server: ChildProcess; url: string }> {
  const user = postgresUser();
  if (user) chmodSync(folder, 0o755);
  const binaries = findBinaries(folder, user);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (user) chownSync(data, user.uid, user.gid);
  await initialize(binaries, data, user);
  for (let start = 1; ; start++) {
    // Another process may take the port before the server does.
    const port = await freePort();
    try {
      const server = await launch(binaries, { data, port, user });
      return { server, url: `postgres://vidgen@127.0.0.1:${port}/postgres` };
    } catch (error) {
      if (start === startsMax) throw error;
    }
  }
}

async function initialize(binaries: Binaries, data: string, user?: User): Promise<void> {
  const args = ['-U', 'vidgen', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  await promisify(execFile)(
    join(binaries.folder, 'initdb'),
    ['-D', data, ...args, '--no-sync', '--no-instructions'],
    { cwd: '/', env: binaries.environment, ...user },
  );
}

async function launch(
  { folder, environment }: Binaries,
  { data, port, user }: { data: string; port: number; user: User | undefined },
): Promise<ChildProcess> {
  const server = spawn(join(folder, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    cwd: '/',
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...user,
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.on('exit', () => reject(new Error(`PostgreSQL did not start:\n${output}`)));
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000);
      if (output.includes('ready to accept connections')) resolve();
    });
  });
  return server;
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  // A fast shutdown should not wait for clients; if it hangs, an immediate one follows.
  const killTimer = setTimeout(() => server.kill('SIGQUIT'), 10_000);
  await ended;
  clearTimeout(killTimer);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const serverAddress = probe.address();
      const port = typeof serverAddress === 'object' ? serverAddress?.port : undefined;
      probe.close(() => (port ? resolve(port) : reject(new Error('no free port'))));
    });
  });
}
