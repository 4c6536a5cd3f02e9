/**
 * Hostile requests, internal failures, and reads by every caller: the ways in which a secret could
 * get into a response or into the log.
 */
import { generateKey } from '../../../server/accounts/keys/api-key-format.ts';
import { sendRaw } from '../../kit/raw-http.ts';
import { bearer, type CanaryCustomer, type CanaryMember } from './actions.ts';
import { newValue } from './canaries.ts';
import type { CanaryEnvironment } from './environment.ts';

/** Sends invalid requests that carry a canary. */
export async function probeAsStranger(
  { recorder, installation }: CanaryEnvironment,
  customer: CanaryCustomer,
): Promise<void> {
  const { send, addCanary, record } = recorder;
  const wrong = () => addCanary('what a bad request carried', newValue('wrong'));
  const headers = [
    { authorization: `Bearer ${wrong()}` },
    { authorization: `Basic ${Buffer.from(`user:${wrong()}`).toString('base64')}` },
    { authorization: wrong() },
    { authorization: `Bearer ${customer.key}x` },
    { cookie: `__Host-vidgen=${wrong()}; vidgen=${wrong()}` },
    { 'x-api-key': wrong(), 'proxy-authorization': wrong() },
  ];
  for (const extraHeaders of headers) {
    for (const path of ['/v1/credits', '/admin/accounts', '/session', '/metrics']) {
      await send('stranger', 'GET', path, { headers: { via: '1.1 proxy', ...extraHeaders } });
    }
  }
  const query = `?api_key=${encodeURIComponent(wrong())}&token=${encodeURIComponent(wrong())}`;
  const paths = ['/v1/tasks', '/results/task_x/video.mp4', '/uploads/x', '/nowhere', '/dashboard'];
  for (const path of paths) await send('stranger', 'GET', path + query);
  await send('stranger', 'GET', `/v1/tasks/${encodeURIComponent(wrong())}`);
  const forged = { 'stripe-signature': `t=1,v1=${wrong()}`, 'webhook-signature': `v1,${wrong()}` };
  await send('stranger', 'POST', '/stripe/events', { headers: forged, body: { id: 'evt_1' } });
  const reference = encodeURIComponent(wrong());
  await send('stranger', 'POST', `/callbacks/ark/${reference}`, { headers: forged, body: {} });
  const host = 'Host: 127.0.0.1\r\nConnection: close\r\n';
  const raw = [
    `${wrong()}\r\n\r\n`,
    `GET /${wrong()} HTTP/9.9\r\n${host}\r\n`,
    `GET / HTTP/1.1\r\n${host}X: ${wrong()}${'x'.repeat(20_000)}\r\n\r\n`,
    `POST /v1/videos/generations HTTP/1.1\r\n${host}Content-Length: x${wrong()}\r\n\r\n`,
  ];
  for (const bytes of raw) {
    for (const { status, headers: responseHeaders, body } of await sendRaw(
      installation.url,
      bytes,
    )) {
      record(
        `a response to an invalid request: ${status}`,
        JSON.stringify([[...responseHeaders], body]),
      );
    }
  }
  const broken = `{"model": "vidgen-2-5", "input": {"prompt": "${wrong()}", `;
  const json = { ...bearer(customer.key), 'content-type': 'application/json' };
  await send('sender', 'POST', '/v1/videos/generations', { headers: json, body: broken });
}

/** Statements that make the database fail, and their reverse. */
type Fault = readonly [make: string, undo: string];
/** The error detail quotes the whole row, with prompt and URLs. */
const rejectRows = (table: string): Fault => [
  `alter table ${table} add constraint canary check (false) not valid`,
  `alter table ${table} drop constraint canary`,
];
const hideTable = (table: string): Fault => [
  `alter table ${table} rename to away`,
  `alter table away rename to ${table}`,
];
const faults: Readonly<Record<string, Fault>> = {
  'no task fits': rejectRows('tasks'),
  'no account fits': rejectRows('accounts'),
  'no session is found': hideTable('sessions'),
  'no key is found': hideTable('api_keys'),
  'no attempt is found': hideTable('attempts'),
};

/** Causes database errors while requests with secrets are running. */
export async function triggerFailures(
  env: CanaryEnvironment,
  customer: CanaryCustomer,
  owner: CanaryMember,
): Promise<void> {
  const { recorder, post } = env;
  const db = env.installation.db;
  const { send, addCanary } = recorder;
  const prompt = () => addCanary('a prompt that was not stored', newValue('Lost boat'));
  const actions: Readonly<Record<keyof typeof faults, () => Promise<unknown>>> = {
    'no task fits': () =>
      send('key', 'POST', '/v1/videos/generations', {
        headers: { ...bearer(customer.key), 'idempotency-key': addCanary('a key', newValue()) },
        body: { model: 'vidgen-2-0-mini', input: { prompt: prompt(), duration: 5 } },
      }),
    'no account fits': () => post('/admin/accounts', { name: prompt() }),
    'no session is found': async () => {
      const password = addCanary('a password', newValue());
      const body = { email: owner.email, password };
      await send('owner', 'GET', '/session', { headers: owner.headers });
      await send('owner', 'POST', '/session', { headers: owner.headers, body });
    },
    'no key is found': async () => {
      // Well-formed, so that the service looks it up.
      const path = `/admin/accounts/${customer.accountId}/keys`;
      await post(path, { name: 'Second', mode: 'live' });
      await send('key', 'GET', '/v1/credits', {
        headers: bearer(addCanary('an unknown key', generateKey('live'))),
      });
    },
    'no attempt is found': () =>
      send('stranger', 'POST', `/callbacks/ark/${addCanary("a provider's reference", newPlain())}`),
  };
  for (const [name, [make, undo]] of Object.entries(faults)) {
    await db.query(make);
    await actions[name]!();
    await db.query(undo);
  }
}

const newPlain = () => newValue('reference').replace(/[/+]/g, '-');

/** Reads every endpoint as every caller, with and without permission. */
export async function readEverything(
  { recorder, admin }: CanaryEnvironment,
  { accountId, key, taskIds, resultUrls }: CanaryCustomer,
  members: readonly CanaryMember[],
): Promise<void> {
  const { send } = recorder;
  const account = `/admin/accounts/${accountId}`;
  const ofAccount = ['', '/keys', '/tasks', '/ledger', '/deliveries', '/usage', '/top-ups'];
  const exports = ['/tasks', '/ledger', '/usage'].map((list) => `${list}?format=csv&mode=live`);
  const admins = ['accounts', 'tasks', 'providers', 'system', 'summary', 'audit', 'audit-log'];
  const more = ['people', 'redemption-codes', 'tasks?format=json', 'models'];
  const paths = [
    ...[...ofAccount, ...exports, '/members', '/invitations'].map((end) => account + end),
    ...[...admins, ...more].map((name) => `/admin/${name}`),
    ...taskIds.map((id) => `/admin/tasks/${id}`),
    '/session',
    '/sessions',
  ];
  const open = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/llms.txt', '/'];
  const own = ['/v1/tasks', '/v1/credits', '/v1/models', ...taskIds.map((id) => `/v1/tasks/${id}`)];
  for (const path of paths) {
    await send('operator', 'GET', path, { headers: admin });
    await send('stranger', 'GET', path);
    for (const { as, headers } of members) await send(as, 'GET', path, { headers });
  }
  for (const path of [...open, ...resultUrls]) await send('stranger', 'GET', path);
  for (const path of own) {
    await send('key', 'GET', path, { headers: bearer(key) });
    await send('stranger', 'GET', path);
  }
}
