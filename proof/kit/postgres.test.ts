import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { cloneDatabase, onServer, startPostgres } from './postgres.ts';
import { findBinaries } from './postgres-binaries.ts';

// Without local binaries the tests use the given server, and these are skipped.
const hasServer = process.env.VIDGEN_TEST_DATABASE_URL !== undefined;
const skip = hasServer && serverProblem();

// These tests stop the server, so they need their own.
delete process.env.VIDGEN_TEST_DATABASE_URL;
const temporary = mkdtempSync(join(tmpdir(), 'vidgen-test-'));
chmodSync(temporary, 0o755); // For root the server runs as another user, who must be able to enter.
process.env.TMPDIR = temporary;
after(() => rmSync(temporary, { recursive: true, force: true }));

const module = JSON.stringify(new URL('./postgres.ts', import.meta.url).href);
const script = `const { startPostgres } = await import(${module});
  process.stdout.write((await startPostgres()).url + '\\n');
  process.stdin.on('end', () => process.exit()).resume();`;

test('a clone has the data of its template, and is gone when dropped', { skip }, async () => {
  const server = await startPostgres();
  try {
    const template = await cloneDatabase(server.url, 'template0');
    await onServer(template.url, 'create table video as select 7 as minutes');
    const clone = await cloneDatabase(server.url, new URL(template.url).pathname.slice(1));
    assert.deepEqual(await rowsOf(clone.url, 'select minutes from video'), [{ minutes: 7 }]);
    await clone.drop();
    await assert.rejects(rowsOf(clone.url, 'select 1'), { code: '3D000' });
  } finally {
    await server.stop();
  }
  assert.deepEqual(readdirSync(temporary), []);
});

test('the server and its files are gone after the test process was killed', { skip }, async (t) => {
  const tester = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => tester.kill('SIGKILL'));
  const [output] = await Promise.race([once(tester.stdout, 'data'), once(tester, 'exit')]);
  const url = String(output).trim();
  await rowsOf(url, 'select 1');
  tester.kill('SIGKILL');
  while (readdirSync(temporary).length > 0) await new Promise(setImmediate);
  await assert.rejects(rowsOf(url, 'select 1'), { code: 'ECONNREFUSED' });
});

test('the next keeper deletes what a killed one left', { skip }, async () => {
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  const left = mkdtempSync(join(temporary, `vidgen-postgres-${dead.pid}-`));
  const server = await startPostgres();
  assert.equal(existsSync(left), false);
  await server.stop();
});

function serverProblem(): string | false {
  try {
    findBinaries(tmpdir(), undefined);
    return false;
  } catch (error) {
    return (error as Error).message.split('\n')[0] ?? '';
  }
}

async function rowsOf(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
