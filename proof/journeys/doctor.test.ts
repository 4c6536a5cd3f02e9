/**
 * `npm run doctor` beside a service that runs, before one has ever run, and where none can start.
 *
 * Thorough: starts the service and the command as processes.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DoctorResponse, type Finding } from '@vidgen/contract/admin-system.ts';
import { reservePort, ServiceProcess } from '../faults/service-process.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';

const command = join(import.meta.dirname, '../../server/doctor/run.ts');

function runDoctor(environment: Record<string, string>, ...args: string[]) {
  const { PATH = '', HOME = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    encoding: 'utf8',
    env: { PATH, HOME, VIDGEN_TEST_ENV_FILE: 'off', ...environment },
  });
  return { status, stdout, stderr };
}

function findingsOf(environment: Record<string, string>) {
  const { status, stdout, stderr } = runDoctor(environment, '--json');
  assert.notEqual(stdout, '', stderr);
  return { status, findings: DoctorResponse.parse(JSON.parse(stdout)).findings };
}

const errors = (findings: readonly Finding[]) => findings.filter(({ level }) => level === 'error');

test('examines a service before its first start, while it runs, and when stopped', async () => {
  const home = join(makeTemporaryFolder('doctor'), 'home');
  const before = findingsOf({ VIDGEN_HOME: home });
  assert.deepEqual([before.status, errors(before.findings)], [0, []]);
  assert.ok(!existsSync(home));
  const port = String(await reservePort());
  const environment = { VIDGEN_HOME: home, PORT: port, VIDGEN_SELF_TEST: 'off' };
  await using service = new ServiceProcess({ environment, logFile: `${home}.log` });
  await service.waitUntilServing();
  const publicUrl = `http://127.0.0.1:${port}`;
  const running = findingsOf({ ...environment, VIDGEN_PUBLIC_URL: publicUrl });
  assert.deepEqual([running.status, errors(running.findings)], [0, []]);
  const messages = running.findings.map(({ message }) => message).join('\n');
  assert.match(messages, /PostgreSQL .* is reachable/);
  assert.match(messages, /migrations are applied/);
  assert.match(messages, /A file was written, read and deleted/);
  assert.ok(messages.includes(`${publicUrl} responds`));
  assert.equal((await service.stop()).code, 0);
  const stopped = findingsOf(environment);
  assert.match(JSON.stringify(stopped.findings), /is not running; it starts with vidgen/);
  assert.equal(stopped.status, 0);
});

test('names every wrong setting of a service that cannot start, and no password', async () => {
  const home = makeTemporaryFolder('doctor');
  const wrong = runDoctor({ VIDGEN_HOME: home, PORT: 'x', VIDGEN_RESULT_TTL: 'soon' });
  assert.equal(wrong.status, 1);
  assert.match(wrong.stdout, /^error {4}settings: PORT must be/m);
  assert.match(wrong.stdout, /^error {4}settings: VIDGEN_RESULT_TTL must be/m);
  const port = await reservePort();
  const password = 'a-password-nobody-may-see';
  const unreachable = runDoctor({
    VIDGEN_HOME: home,
    VIDGEN_DATABASE_URL: `postgres://me:${password}@127.0.0.1:${port}/vidgen`,
  });
  assert.equal(unreachable.status, 1);
  assert.match(unreachable.stdout, /^error {4}database: .*ECONNREFUSED/m);
  assert.match(unreachable.stdout, /Check VIDGEN_DATABASE_URL/);
  assert.ok(!`${unreachable.stdout}${unreachable.stderr}`.includes(password));
});
