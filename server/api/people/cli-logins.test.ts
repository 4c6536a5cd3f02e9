/**
 * Logins of the command line: a key only after a member with the right confirms the code, once,
 * within ten minutes, and in the audit log of both steps.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CollectLoginResponse,
  StartLoginResponse,
  WaitingLogin,
} from '@vidgen/contract/cli-logins.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { newMember, openBrowserSession } from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { useService } from '../../../proof/kit/service.ts';

const service = await useService({
  environment: { VIDGEN_ROLE: 'api', VIDGEN_TRUSTED_PROXIES: '127.0.0.1/32' },
});
const account = await service.account({ test: 100, name: 'Paper Boat' });
const developer = await newMember(service, { accountId: account.id, role: 'developer' });

let networks = 0;
/** Each caller comes from another network, so that the tests do not share a limit. */
const newNetwork = () => ({ 'x-forwarded-for': `198.51.100.${++networks}` });

const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  openBrowserSession(service.url).send('POST', path, body, headers);
async function start(machine = 'ada-laptop', headers = newNetwork()) {
  const response = await send('/logins', { machine }, headers);
  assert.equal(response.status, 201, JSON.stringify(response.body));
  return StartLoginResponse.parse(response.body);
}
const collect = (deviceCode: string) =>
  send('/logins/collect', { device_code: deviceCode }, newNetwork());
const confirm = (code: string, mode = 'test') =>
  developer.post(`/admin/accounts/${account.id}/logins`, { code, mode });

test('hands a key to the machine after a member confirmed its code, once', async () => {
  const login = await start();
  assert.match(login.code, /^[B-Z]{4}-[B-Z]{4}$/);
  assert.equal(login.url, `${service.url}/dashboard/login?code=${login.code}`);
  assert.deepEqual((await collect(login.device_code)).body, { status: 'waiting' });

  const shown = WaitingLogin.parse((await developer.get(`/logins/${login.code}`)).body);
  assert.deepEqual(
    [shown.machine, shown.address, shown.is_same_network],
    ['ada-laptop', `198.51.100.${networks - 1}`, false],
  );
  assert.equal((await confirm(login.code.toLowerCase().replace('-', ''))).status, 204);
  assertApiError(await developer.get(`/logins/${login.code}`), 'not_found');
  assertApiError(await confirm(login.code), 'not_found');

  const collected = CollectLoginResponse.parse((await collect(login.device_code)).body);
  assert.equal(collected.account_name, 'Paper Boat');
  const { status, body } = await service.client(collected.key!).get('/v1/credits');
  assert.deepEqual([status, body.mode, body.available], [200, 'test', 100]);
  assertApiError(await collect(login.device_code), 'not_found');

  const { body: keys } = await service.admin.get(`/admin/accounts/${account.id}/keys`);
  const key = (keys.items as { id: string; name: string; created_by: string }[])[0]!;
  assert.deepEqual([key.name, key.created_by], ['Command line on ada-laptop', developer.email]);
  const [created] = await service.auditLog(key.id);
  assert.deepEqual([created!.action, created!.actor], ['key.create', developer.email]);
  assert.deepEqual(created!.detail.login, { machine: 'ada-laptop', address: shown.address });
  const confirmed = (await service.auditLog(account.id)).find(
    ({ action }) => action === 'login.confirm',
  );
  assert.deepEqual([confirmed!.actor, confirmed!.detail.machine], [developer.email, 'ada-laptop']);
});

const worksAt = async (key: string) => (await service.client(key).get('/v1/credits')).status;
async function keysNamed(name: string) {
  const { body } = await service.admin.get(`/admin/accounts/${account.id}/keys?limit=100`);
  return (body.items as { id: string; name: string }[]).filter((key) => key.name === name);
}

test('hands out one working key when two machines know the device code', async () => {
  const login = await start('shared');
  await confirm(login.code);
  const both = await Promise.all([collect(login.device_code), collect(login.device_code)]);
  const statuses = await Promise.all(both.map(({ body }) => worksAt(String(body.key))));
  assert.deepEqual(statuses.sort(), [200, 401]);
  assert.equal((await keysNamed('Command line on shared')).length, 1);
});

test('hands out the key again when a response was lost, until the key is used', async () => {
  const login = await start('lossy');
  await confirm(login.code);
  const lost = CollectLoginResponse.parse((await collect(login.device_code)).body);
  const received = CollectLoginResponse.parse((await collect(login.device_code)).body);
  assert.equal(received.key_name, lost.key_name);
  assert.equal(await worksAt(lost.key!), 401);
  const [key, ...others] = await keysNamed('Command line on lossy');
  assert.deepEqual(others, []);
  const log = await service.auditLog(key!.id);
  assert.deepEqual(pluck(log, 'action'), ['key.create', 'key.create']);

  assert.equal(await worksAt(received.key!), 200);
  assertApiError(await collect(login.device_code), 'not_found');
  assert.equal(await worksAt(received.key!), 200);
});

test('hands out nothing for a revoked key, or when the member lost the right', async () => {
  const revoked = await start('revoked');
  await confirm(revoked.code);
  await collect(revoked.device_code);
  const [key] = await keysNamed('Command line on revoked');
  assert.equal((await service.admin.send('DELETE', `/admin/keys/${key!.id}`)).status, 204);
  assertApiError(await collect(revoked.device_code), 'not_found');

  const leaver = await newMember(service, { accountId: account.id, role: 'developer' });
  const collected = await start('leaver');
  const confirmed = await start('leaver');
  for (const { code } of [collected, confirmed]) {
    await leaver.post(`/admin/accounts/${account.id}/logins`, { code, mode: 'test' });
  }
  assert.equal((await collect(collected.device_code)).status, 200);
  const path = `/admin/accounts/${account.id}/members/${leaver.personId}`;
  assert.equal((await service.admin.post(path, { role: 'viewer' })).status, 200);
  for (const login of [collected, confirmed]) {
    assertApiError(await collect(login.device_code), 'not_found');
  }
});

test('gives nothing after ten minutes, confirmed or not', async () => {
  const expire = () => service.db.query(`update cli_logins set expires_at = now()`);
  const open = await start();
  const confirmed = await start();
  const collected = await start();
  for (const { code } of [confirmed, collected]) await confirm(code);
  assert.equal((await collect(collected.device_code)).status, 200);
  await expire();
  assertApiError(await developer.get(`/logins/${open.code}`), 'not_found');
  assertApiError(await confirm(open.code), 'not_found');
  for (const login of [open, confirmed, collected]) {
    assertApiError(await collect(login.device_code), 'not_found');
  }
});

test('limits how often a network starts logins and a person enters codes', async () => {
  const network = newNetwork();
  for (let count = 0; count < 10; count++) await start('busy', network);
  const denied = await send('/logins', { machine: 'busy' }, network);
  assertApiError(denied, 'rate_limited', /10 started logins per minute/);
  await start('other', newNetwork());

  const guesser = await newMember(service, { accountId: account.id, role: 'viewer' });
  for (let count = 0; count < 30; count++) {
    assertApiError(await guesser.get('/logins/BCDF-GHJK'), 'not_found');
  }
  assertApiError(await guesser.get('/logins/BCDF-GHJK'), 'rate_limited');
});

test('shows a name without characters that could make it look like another', async () => {
  const login = await start('ada\u202e\u0007-laptop');
  const { body } = await developer.get(`/logins/${login.code}`);
  assert.equal(body.machine, 'ada-laptop');
});
