/** Each check finds the fault that it is for, says what to do, and leaves nothing behind. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DoctorResponse, type Finding } from '@vidgen/contract/admin-system.ts';
import { reservePort } from '../../proof/faults/service-process.ts';
import { startLocalServer } from '../../proof/kit/local-server.ts';
import { startService, testAdminToken } from '../../proof/kit/service.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { readConfig } from '../config/config.ts';
import type { Database, Queryable } from '../database/database.ts';
import { openDiskStorage } from '../storage/disk.ts';
import { checkDatabase } from './check-database.ts';
import { checkDisk, checkLimits, checkModes, checkSandbox } from './check-machine.ts';
import { checkStorage } from './check-storage.ts';
import { checkPreview } from './doctor.ts';
import { checkPort, checkProviders, checkPublicUrl, checkServers } from './reach.ts';

const folder = makeTemporaryFolder('doctor');
const renderer = fileURLToPath(new URL('../../proof/kit/fake-renderer.ts', import.meta.url));
const service = await startService({ renderer });
after(() => service.close());

/** The server of the tests loses commits on purpose. */
const withoutFsync = (findings: readonly Finding[]) =>
  findings.filter(({ message }) => !/^fsync is off/.test(message));
const check = (db: Database, secret = service.parts.secret) => checkDatabase(db, { secret });
const levels = (findings: readonly Finding[]) => findings.map(({ level }) => level);
const worst = (findings: readonly Finding[]) => findings.find(({ level }) => level !== 'ok');

test('the endpoint reports a sound installation without a secret', async () => {
  const { status, body } = await service.admin.get('/admin/doctor');
  assert.equal(status, 200, JSON.stringify(body));
  const { findings } = DoctorResponse.parse(body);
  assert.deepEqual(
    withoutFsync(findings).filter(({ level, area }) => level === 'error' && area !== 'preview'),
    [],
  );
  const areas = new Set(findings.map(({ area }) => area));
  for (const area of ['database', 'storage', 'clock', 'disk', 'providers', 'process', 'files']) {
    assert.ok(areas.has(area as Finding['area']), area);
  }
  for (const { level, remedy } of findings) assert.equal(remedy === null, level === 'ok');
  assert.ok(!JSON.stringify(body).includes(testAdminToken));
});

test('the endpoint also connects to providers of the dashboard', async () => {
  const { status, body } = await service.admin.post('/admin/providers', {
    name: 'gone',
    kind: 'openai-videos',
    dialect: 'vllm',
    base_url: 'http://127.0.0.1:9/v1',
    api_key: 'sk-of-no-engine-at-all',
    models: { 'vidgen-2-5': 'wan' },
  });
  assert.equal(status, 201, JSON.stringify(body));
  try {
    const { findings } = DoctorResponse.parse((await service.admin.get('/admin/doctor')).body);
    const found = findings.filter(({ area }) => area === 'providers');
    assert.match(found.map(({ message }) => message).join(), /^gone: 127\.0\.0\.1: /);
  } finally {
    await service.admin.send('DELETE', '/admin/providers/gone');
  }
});

test('a database that a newer version has migrated is an error', async () => {
  const newer = '9999_from_the_future';
  await service.db.query(`insert into migrations (name, digest) values ('${newer}', 'x')`);
  try {
    const findings = withoutFsync(await check(service.db));
    assert.match(
      worst(findings)?.message ?? '',
      /newer version of vidgen \(9999_from_the_future\)/,
    );
  } finally {
    await service.db.query(`delete from migrations where name = '${newer}'`);
  }
  const repaired = withoutFsync(await check(service.db));
  assert.deepEqual(new Set(levels(repaired)), new Set(['ok']));
});

test('another secret, missing rights and the end of the last worker are errors', async () => {
  const messagesOf = async (...checked: Parameters<typeof check>) =>
    withoutFsync(await check(...checked))
      .filter(({ level }) => level === 'error')
      .map(({ message, remedy }) => `${message}: ${remedy}`);
  assert.match((await messagesOf(service.db, 'x'.repeat(32))).join(), /^VIDGEN_SECRET is not the/);
  const role = 'vidgen_doctor_reader';
  const cut = (tx: Queryable) =>
    tx.query(`create role ${role}; grant select on all tables in schema public to ${role};
      update processes set role = 'api'; set local role ${role}`);
  await assert.rejects(
    service.db.transaction(async (tx) => {
      await cut(tx);
      const query: Database['query'] = (text, values) => tx.query(text, values);
      const [rights, workers, ...others] = await messagesOf({ ...service.db, query });
      assert.match(rights!, /^The database user "\w+" may not create tables.*: Make it the owner/);
      assert.match(workers!, /^No worker is running.*--role worker/);
      assert.deepEqual(others, []);
      throw new Error('rolled back');
    }),
    /rolled back/,
  );
});

test('notifications that do not arrive are reported with the setting that helps', async () => {
  const deaf: Database = { ...service.db, listen: async () => ({ stop: async () => {} }) };
  const found = worst(withoutFsync(await check(deaf)));
  assert.equal(found?.level, 'warning');
  assert.match(found.remedy ?? '', /VIDGEN_DATABASE_LISTEN_URL/);
});

test('a database that fails is an error of every check, and not of the doctor', async () => {
  const broken = { ...service.db, query: () => Promise.reject(new Error('it is on fire')) };
  const findings = await check(broken);
  assert.deepEqual(new Set(levels(findings)), new Set(['error']));
});

test('the storage is written, read and left empty', async () => {
  const storage = await openDiskStorage(join(folder, 'results'));
  assert.deepEqual(levels(await checkStorage(storage)), ['ok']);
  assert.deepEqual(readdirSync(join(folder, 'results')), ['.incoming']);
  const full = { ...storage, put: () => Promise.reject(new Error('ENOSPC')) };
  assert.deepEqual(levels(await checkStorage(full)), ['error']);
  const lying = { ...storage, open: async () => null };
  assert.match((await checkStorage(lying))[0]?.message ?? '', /not what was written/);
  const keeping = { ...storage, remove: async () => {} };
  assert.match((await checkStorage(keeping))[0]?.message ?? '', /can still be read/);
});

test('a provider gets a connection and not one byte', async () => {
  let bytes = 0;
  const sockets: Socket[] = [];
  const upstream = createServer((socket) => {
    sockets.push(socket.on('data', (data) => (bytes += data.length)).on('error', () => {}));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as { port: number };
  const closed = await reservePort();
  try {
    const findings = await checkProviders([
      { name: 'up', url: `http://127.0.0.1:${port}/v1` },
      { name: 'down', url: `http://127.0.0.1:${closed}` },
    ]);
    assert.deepEqual(levels(findings), ['ok', 'error']);
    assert.match(findings[1]?.message ?? '', /^down: 127\.0\.0\.1: .*ECONNREFUSED/);
    assert.equal(bytes, 0);
  } finally {
    for (const socket of sockets) socket.destroy();
    upstream.close();
  }
});

test('mail, sign-in and traces that cannot be reached are named by their settings', async () => {
  const config = readConfig({
    VIDGEN_SMTP_URL: 'smtp://127.0.0.1:9',
    VIDGEN_MAIL_FROM: 'vidgen@example.com',
    VIDGEN_OIDC_ISSUER: 'http://127.0.0.1:9',
    VIDGEN_OIDC_CLIENT_ID: 'vidgen',
    VIDGEN_OIDC_CLIENT_SECRET: 'secret',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  });
  const found = (await checkServers(config)).map(({ level, message }) => [
    level,
    message.split(':')[0],
  ]);
  assert.deepEqual(found, [
    ['error', 'VIDGEN_SMTP_URL'],
    ['error', 'VIDGEN_OIDC_ISSUER'],
    ['error', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ]);
});

test('a port that another program has is an error, and that of vidgen is not', async () => {
  const other = await startLocalServer((_, response) => response.end('hello'));
  const at = (url: string) => readConfig({ HOST: '127.0.0.1', PORT: new URL(url).port });
  try {
    const [taken] = await checkPort(at(other.origin));
    assert.deepEqual([taken?.level, /is already in use/.test(taken!.message)], ['error', true]);
  } finally {
    await other.close();
  }
  assert.deepEqual(levels(await checkPort(at(other.origin))), ['ok']);
  assert.match((await checkPort(at(service.url)))[0]!.message, /^vidgen runs on port/);
});

test('a provider that does not speak TLS at an https URL is an error', async () => {
  const plain = await startLocalServer((_, response) => response.end());
  try {
    const [found] = await checkProviders([
      { name: 'tls', url: plain.origin.replace('http:', 'https:') },
    ]);
    assert.equal(found?.level, 'error');
  } finally {
    await plain.close();
  }
});

test('another program at the public URL is reported', async () => {
  const other = await startLocalServer((_, response) => response.end('hello'));
  try {
    const found = await checkPublicUrl(other.origin, { isServing: true });
    assert.match(found[0]?.message ?? '', /returned 200, not from vidgen/);
    assert.deepEqual(levels(await checkPublicUrl(service.url, { isServing: true })), ['ok']);
    assert.deepEqual(levels(await checkPublicUrl(null, { isServing: true })), ['warning']);
  } finally {
    await other.close();
  }
});

test('a preview that is late is no error, and one that fails is', async () => {
  const broken = async () => ({ ready: false, encoder: null, detail: 'Error: no encoder' });
  const { promise: never } = Promise.withResolvers<never>();
  const late = await checkPreview({ runSelfTest: () => never }, { msMax: 1 });
  assert.deepEqual(levels(late), ['warning']);
  assert.deepEqual(levels(await checkPreview({ runSelfTest: broken })), ['error']);
});

test('limits of the process are read as the system writes them', () => {
  const line = (soft: string) =>
    `Max open files            ${soft}                 524288    files\n`;
  const level = (soft: string) => checkLimits(line(soft)).at(-1)?.level;
  assert.deepEqual(['256', '1024', '8192', 'unlimited'].map(level), [
    ...['error', 'warning', 'ok', 'ok'],
  ]);
});

test('media processes without namespaces are a warning that says what to do', () => {
  assert.deepEqual(levels(checkSandbox(null)), ['ok']);
  const weakness = { possible: ['open connections'], fix: 'run vidgen on Linux' };
  const [found] = checkSandbox(weakness);
  assert.match(found!.message, /could open connections$/);
  assert.deepEqual([found!.level, found!.remedy], ['warning', 'Run vidgen on Linux.']);
});

const skip = process.platform === 'win32' && 'Windows has no modes';
test('files that other users can read or change are reported', { skip }, async () => {
  const home = join(folder, 'home');
  const configFile = join(folder, 'vidgen.config.ts');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(configFile, '', { mode: 0o600 });
  assert.deepEqual(levels(checkModes({ home, configFile })), ['ok']);
  chmodSync(home, 0o777);
  writeFileSync(join(home, 'admin-token'), 'token');
  chmodSync(join(home, 'admin-token'), 0o644);
  chmodSync(configFile, 0o666);
  assert.deepEqual(levels(checkModes({ home, configFile })), ['warning', 'error', 'error']);
  assert.deepEqual(levels(await checkDisk(join(home, 'not', 'there', 'yet'))), ['ok']);
});
