/**
 * The usual actions of customers, members and operators, with a canary for every secret that they
 * send or receive.
 */
import assert from 'node:assert/strict';
import { waitUntil } from '../../kit/wait-until.ts';
import { newValue } from './canaries.ts';
import type { CanaryEnvironment } from './environment.ts';

export type CanaryCustomer = {
  readonly accountId: string;
  readonly key: string;
  readonly taskIds: string[];
  readonly resultUrls: string[];
};

export type CanaryMember = {
  readonly as: 'owner' | 'viewer';
  readonly personId: string;
  readonly email: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Members see the data of their account; no other caller and no log does. */
const theirs = / as (operator|owner|viewer|key): |the database/;
const theirWebhookSecret =
  /^(POST|GET) \/admin\/accounts(\/:id|\/:id\/webhook-secret)? as (operator|owner): |the database/;

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

export async function openAccount({ recorder, post }: CanaryEnvironment): Promise<CanaryCustomer> {
  const { addCanary } = recorder;
  const { body } = await post('/admin/accounts', { name: 'Canaries' });
  const accountId = String(body.id);
  addCanary('a webhook secret', String(body.webhook_secret), theirWebhookSecret);
  const account = `/admin/accounts/${accountId}`;
  await post(`${account}/credits`, { amount: 100_000, mode: 'live', note: 'for canaries' });
  const createdKey = await post(`${account}/keys`, { name: 'Canary', mode: 'live' });
  const key = addCanary(
    'an API key',
    String(createdKey.body.key),
    /^POST \/admin\/accounts\/:id\/keys as operator: /,
  );
  const rotated = await post(`${account}/webhook-secret`);
  addCanary('a rotated webhook secret', String(rotated.body.webhook_secret), theirWebhookSecret);
  return { accountId, key, taskIds: [], resultUrls: [] };
}

/** Completes one task, and makes one fail in each way that the provider and its host can fail. */
export async function makeVideos(env: CanaryEnvironment, customer: CanaryCustomer): Promise<void> {
  const { echo } = env;
  const { addCanary } = env.recorder;
  const provider = env.installation.upstream.fake;
  const submits = () => provider.requests.filter(({ operation }) => operation === 'create').length;
  const done = await create(env, customer);
  await waitUntil(() => provider.started().length > 0);
  provider.advance(provider.started()[0]!.id, 'succeeded');
  const { results } = (await finalOf(env, customer, done)) as { results: string[] };
  const url = new URL(results[0]!);
  addCanary('the signature of a result', url.searchParams.get('signature')!, theirs);
  customer.resultUrls.push(url.pathname + url.search);
  const quoting = (status: number) => {
    const { apiKey } = provider;
    const quotedKey = `Bearer ${apiKey}, "${apiKey}" for ${encodeURIComponent(apiKey)}`;
    const error = { code: 'AuthenticationError', message: `The key is wrong: ${quotedKey}` };
    return { status, body: JSON.stringify({ error }) };
  };
  for (const status of [401, 400, 500]) {
    const before = submits();
    provider.next('create', { work: 'not-done', response: quoting(status) });
    await create(env, customer);
    await waitUntil(() => submits() > before);
  }
  const signature = addCanary("the signature of a provider's URL", newValue('tos'));
  const video_url = `${echo.url}/none.mp4?X-Tos-Signature=${encodeURIComponent(signature)}`;
  provider.next('get', {
    work: 'done',
    response: {
      status: 200,
      body: JSON.stringify({ id: 'x', status: 'succeeded', content: { video_url } }),
    },
  });
  await create(env, customer);
  await waitUntil(() => echo.paths.some((one) => one.startsWith('/none')));
}

/** Sends a create with a canary in every field that may hold a secret. */
async function create(
  { recorder, echo }: CanaryEnvironment,
  { key, taskIds }: CanaryCustomer,
): Promise<string> {
  const { addCanary, send } = recorder;
  const token = encodeURIComponent(addCanary('a token in a callback URL', newValue(), theirs));
  const signed = encodeURIComponent(addCanary('the signature of a material', newValue(), theirs));
  const reply = await send('key', 'POST', '/v1/videos/generations', {
    headers: {
      ...bearer(key),
      'idempotency-key': addCanary('an Idempotency-Key', newValue(), /the database/),
    },
    body: {
      model: 'vidgen-2-0-mini',
      input: {
        prompt: addCanary('a prompt', newValue('Paper boat'), theirs),
        generation_type: 'image-to-video',
        image_urls: [`${echo.url}/boat.png?X-Amz-Signature=${signed}`],
        resolution: '480p',
        duration: 5,
      },
      callback_url: `${echo.url}/hook?token=${token}`,
    },
  });
  assert.equal(reply.status, 200, reply.text);
  const taskId = String(reply.body.taskId);
  taskIds.push(taskId);
  return taskId;
}

async function finalOf(
  { recorder }: CanaryEnvironment,
  { key }: CanaryCustomer,
  taskId: string,
): Promise<unknown> {
  for (;;) {
    const path = `/v1/tasks/${taskId}?wait=20`;
    const { body } = await recorder.send('key', 'GET', path, { headers: bearer(key) });
    if (body.data) return body.data;
  }
}

/** A person joins by a link, signs in, and changes and resets the password. */
export async function join(
  { recorder, post }: CanaryEnvironment,
  { accountId }: CanaryCustomer,
  as: CanaryMember['as'],
): Promise<CanaryMember> {
  const { send, addCanary } = recorder;
  const linked = /^POST \/admin\/.*(invitations|password-link) as operator: /;
  const newLink = async (path: string, body?: unknown) => {
    const { body: created } = await post(path, body);
    return addCanary('a link', String(created.link).split('#')[1]!, linked);
  };
  const email = `${as}-${accountId.slice(0, 8)}@example.com`;
  const sendAs = async (path: string, body: unknown, cookie?: string) => {
    const headers = { 'sec-fetch-site': 'same-origin', ...(cookie ? { cookie } : {}) };
    const reply = await send(as, 'POST', path, { headers, body });
    const [pair] = (reply.headers.getSetCookie()[0] ?? '').split(';');
    if (pair) addCanary('a session', pair.split('=')[1]!, / as (owner|viewer): 20[01]$/);
    return { reply, cookie: pair ?? '' };
  };
  const password = () => addCanary('a password', newValue('pass word'));
  const token = await newLink(`/admin/accounts/${accountId}/invitations`, { role: as });
  const first = password();
  await sendAs('/links/look', { token });
  const joined = await sendAs('/links/use', { token, name: 'Ada', email, password: first });
  assert.equal(joined.reply.status, 201, joined.reply.text);
  await sendAs('/session', { email, password: password() });
  const signedIn = await sendAs('/session', { email, password: first });
  const confirmed = await sendAs('/session/confirm', { password: first }, signedIn.cookie);
  const second = password();
  const changed = { current_password: first, new_password: second };
  await sendAs('/session/password', changed, confirmed.cookie);
  const { person } = joined.reply.body as { person: { id: string } };
  const forgotten = await newLink(`/admin/people/${person.id}/password-link`);
  const back = await sendAs('/links/use', { token: forgotten, password: password() });
  const headers = { 'sec-fetch-site': 'same-origin', cookie: back.cookie };
  return { as, personId: person.id, email, headers };
}

/** Redeems codes, starts a payment that Stripe declines, sends a test webhook and an upload. */
export async function topUp(
  env: CanaryEnvironment,
  customer: CanaryCustomer,
  owner: CanaryMember,
): Promise<void> {
  const { send, addCanary } = env.recorder;
  const account = `/admin/accounts/${customer.accountId}`;
  const { headers } = owner;
  const codesRequest = { amount: 10, mode: 'live', count: 2, note: 'canaries' };
  const created = await env.post('/admin/redemption-codes', codesRequest);
  const codes = (created.body.items as readonly { code: string }[]).map(({ code }) => code);
  for (const code of codes) {
    addCanary('a redemption code', code, /^POST \/admin\/redemption-codes as operator: /);
  }
  for (const code of [codes[0], codes[0], addCanary('a wrong code', newValue('code'))]) {
    await send('owner', 'POST', `${account}/redemptions`, { headers, body: { code } });
  }
  await send('owner', 'POST', `${account}/checkouts`, { headers, body: { pack: 'small' } });
  const token = addCanary('a token in a test webhook', newValue(), theirs);
  const url = `${env.echo.url}/test?token=${token}`;
  await send('owner', 'POST', `${account}/deliveries/test`, { headers, body: { url } });
  const image = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex');
  const uploaded = await send('owner', 'POST', `${account}/uploads`, {
    headers: { ...headers, 'content-type': 'image/jpeg' },
    body: image,
  });
  const uploadUrl = new URL(String(uploaded.body.url));
  addCanary('the signature of an upload', uploadUrl.searchParams.get('signature')!, theirs);
  customer.resultUrls.push(uploadUrl.pathname + uploadUrl.search);
}
