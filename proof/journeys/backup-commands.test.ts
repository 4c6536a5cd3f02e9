/**
 * `npm run backup`, `restore` and `move` as processes on the own PostgreSQL: under load, after
 * everything was lost, and killed half way.
 *
 * Thorough: creates several databases, and starts the service on each.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, test } from 'node:test';
import { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import { Installation } from '../faults/installation.ts';
import type { ServiceProcess } from '../faults/service-process.ts';
import { waitForOutput } from '../kit/command-line.ts';
import { cloneDatabase, startPostgres } from '../kit/postgres.ts';
import { clientOf } from '../kit/service.ts';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { waitUntil } from '../kit/wait-until.ts';

const folder = makeTemporaryFolder('backup-commands');
const backups = join(folder, 'backups');
const commands = join(import.meta.dirname, '../../server/backup');

type Environment = Readonly<Record<string, string>>;

function start(name: string, args: readonly string[], environment: Environment) {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('VIDGEN_'));
  return spawn(process.execPath, [join(commands, `${name}.ts`), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(inherited), VIDGEN_TEST_ENV_FILE: 'off', ...environment },
  });
}

async function run(name: string, args: readonly string[], environment: Environment) {
  const child = start(name, args, environment);
  const ended = once(child, 'close');
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  return { code: code as number, output, errors };
}

/** Kills the command when its output has the pattern. */
async function cut(command: ReturnType<typeof start>, pattern: RegExp): Promise<void> {
  const ended = once(command, 'exit');
  await waitForOutput(command.stdout, pattern);
  command.kill('SIGKILL');
  const [, signal] = await ended;
  assert.equal(signal, 'SIGKILL', `ended before it was killed at ${pattern}`);
}

let installation: Installation;
/** Tasks that were acknowledged before the backup began. */
let taskIds: string[];
let homes = 0;
let logs = 0;
const newHome = () => join(folder, `home-${++homes}`);

before(async () => {
  // Its own database, and the fixtures' server for moves.
  installation = await Installation.open({ environment: { VIDGEN_DATABASE_URL: '' } });
});
after(async () => {
  await installation.close();
  deleteFolder(folder);
});

afterEach(() => installation.killAll());

function startOn(home: string, environment: Environment = {}): Promise<ServiceProcess> {
  const logFile = join(folder, `log-${++logs}`);
  return installation.startServing({ environment: { VIDGEN_HOME: home, ...environment }, logFile });
}

async function assertRefused(home: string, message: RegExp): Promise<void> {
  const logFile = join(folder, `refused-${homes}`);
  const service = installation.start({ environment: { VIDGEN_HOME: home }, logFile });
  assert.equal((await service.exited).code, 1);
  assert.match(service.output(), message);
}

/** Every task is there and ends, videos can be read, and the books balance. */
async function assertWhole(): Promise<void> {
  const { key } = await installation.account();
  const client = clientOf(installation.url, key);
  let videos = 0;
  for (const id of taskIds) {
    // The fake upstream fails some tasks on purpose.
    const { status, data } = await client.final(id);
    if (status === 'failed') continue;
    const response = await fetch(data!.results[0]!);
    assert.equal(response.status, 200);
    await response.arrayBuffer();
    videos += 1;
  }
  assert.ok(videos > 0);
  const audit = AuditResponse.parse((await installation.admin.get('/admin/audit')).body);
  assert.deepEqual(
    audit.checks.filter(({ ok }) => !ok),
    [],
  );
}

test('backs up under load, and restores when everything is lost', async () => {
  const { clients, home } = installation;
  const service = await startOn(home);
  await installation.account();
  clients.start();
  await waitUntil(() => clients.taskNumbers().some((number) => clients.hasWebhook(number)));
  taskIds = [...clients.acknowledged.values()].slice(0, 12);
  const killed = start('backup', ['--to', backups], { VIDGEN_HOME: home });
  await waitUntil(() => existsSync(backups) && readdirSync(backups).length > 0);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  const { code, output, errors } = await run('backup', ['--to', backups], { VIDGEN_HOME: home });
  assert.equal(code, 0, errors);
  assert.match(output, /Deleting \S+, which was not completed\.\nBacking up/);
  assert.match(output, /^Complete\. It holds the secrets/m);
  assert.equal(readdirSync(backups).length, 1);
  await clients.stop();
  await service.kill();
  for (const name of ['postgres', 'results', 'admin-token']) {
    rmSync(join(home, name), { recursive: true, force: true });
  }
  const restored = newHome();
  const result = await run('restore', ['--from', backups], { VIDGEN_HOME: restored });
  assert.equal(result.code, 0, result.errors);
  assert.match(result.output, /^ {2}tasks {2}\d+\n/m);
  assert.match(result.output, /Complete\. All five invariants hold\.\n$/);
  const next = await startOn(restored);
  await assertWhole();
  await next.stop();
  const again = await run('restore', ['--from', backups], { VIDGEN_HOME: restored });
  assert.equal(again.code, 1);
  assert.match(again.errors, /has a database already \(postgres\); restore into a new VIDGEN_HOME/);
});

test('a restore that is killed does not serve, and starts over', async () => {
  const home = newHome();
  await cut(start('restore', ['--from', backups], { VIDGEN_HOME: home }), /^ {2}usage_rollup /m);
  await assertRefused(home, /a restore of the backup \S+ into \S+ is not complete; run the same/);
  const { code, errors } = await run('restore', ['--from', backups], { VIDGEN_HOME: home });
  assert.equal(code, 0, errors);
  const service = await startOn(home);
  await assertWhole();
  await service.stop();
});

test('moves to an external database, and stays where it is when it is killed', async () => {
  const home = newHome();
  const restored = await run('restore', ['--from', backups], { VIDGEN_HOME: home });
  assert.equal(restored.code, 0, restored.errors);
  const server = await startPostgres();
  const target = await cloneDatabase(server.url, 'template0');
  const args = ['--to', target.url];
  await cut(start('move', args, { VIDGEN_HOME: home }), /^ {2}tasks /m);
  const service = await startOn(home);
  const refused = await run('move', args, { VIDGEN_HOME: home });
  assert.match(refused.errors, /is in use by process \d+/);
  await assertWhole();
  await service.stop();
  const copy = newHome();
  cpSync(home, copy, { recursive: true, filter: (path) => !path.includes('.s.PGSQL') });
  const { code, output, errors } = await run('move', args, { VIDGEN_HOME: home });
  assert.equal(code, 0, errors);
  assert.match(output, /All five invariants hold\.\nNow set VIDGEN_DATABASE_URL to this database/);
  await assertRefused(home, /was moved to \S+; set VIDGEN_DATABASE_URL, or delete \S+moved to use/);
  const moved = await startOn(home, { VIDGEN_DATABASE_URL: target.url });
  await assertWhole();
  await moved.stop();
  assert.ok(existsSync(join(home, 'postgres/PG_VERSION')));
  // The target has data now, so a second source is refused and stays usable.
  const second = await run('move', args, { VIDGEN_HOME: copy });
  assert.match(second.errors, /the database is not empty/);
  await (await startOn(copy)).stop();
  await target.drop();
});
