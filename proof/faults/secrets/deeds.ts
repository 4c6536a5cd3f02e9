/**
 * What customers, their people and operators do with the service in a day, with a canary wherever a
 * secret goes: in what they send, and in what they are given once.
 */
import assert from 'node:assert/strict';
import { sleep } from '../../../server/clock.ts';
import { newValue } from './canaries.ts';
import type { Reply } from './listener.ts';
import type { World } from './world.ts';

export type Customer = {
  readonly accountId: string;
  readonly key: string;
  readonly taskIds: string[];
  /** Path and query of a result and of an upload. */
  readonly addresses: string[];
};

export type Member = {
  readonly as: 'owner' | 'viewer';
  readonly personId: string;
  readonly email: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** People of the account see what is theirs; nobody else does, and no output. */
const theirs = / as (operator|owner|viewer|key): |the database|the command line/;
const theirWebhookSecret =
  /^(POST|GET) \/admin\/accounts(\/:id|\/:id\/webhook-secret)? as (operator|owner): |the database/;

const lookMs = 20;

export const keyOf = (key: string) => ({ authorization: `Bearer ${key}` });

export async function openAccount({ listener, admin }: World): Promise<Customer> {
  const { ask, plant } = listener;
  const headers = admin;
  const { body } = await ask('operator', 'POST', '/admin/accounts', {
    headers,
    body: { name: 'Canaries' },
  });
  const accountId = String(body.id);
  plant('a webhook secret', String(body.webhook_secret), theirWebhookSecret);
  const account = `/admin/accounts/${accountId}`;
  const credits = { amount: 100_000, mode: 'live', note: 'for canaries' };
  await ask('operator', 'POST', `${account}/credits`, { headers, body: credits });
  const wanted = { name: 'Canary', mode: 'live' };
  const minted = await ask('operator', 'POST', `${account}/keys`, { headers, body: wanted });
  const key = plant(
    'an API key',
    String(minted.body.key),
    /^POST \/admin\/accounts\/:id\/keys as operator: /,
  );
  const rotated = await ask('operator', 'POST', `${account}/webhook-secret`, { headers });
  plant('a rotated webhook secret', String(rotated.body.webhook_secret), theirWebhookSecret);
  return { accountId, key, taskIds: [], addresses: [] };
}

/** One task to its end, and one for each way that a provider and its host can let it down. */
export async function makeVideos(world: World, customer: Customer): Promise<void> {
  const { listener, provider, echo } = world;
  const { plant } = listener;
  const done = await create(world, customer);
  while (provider.tasks().length === 0) await sleep(lookMs);
  provider.advance(provider.tasks()[0]!.id, 'succeeded');
  const { results } = (await finalOf(world, customer, done)) as { results: string[] };
  const address = new URL(results[0]!);
  plant('the signature of a result', address.searchParams.get('signature')!, theirs);
  customer.addresses.push(address.pathname + address.search);
  const quoting = (status: number) => {
    const { apiKey } = provider;
    const words = `Bearer ${apiKey}, "${apiKey}" for ${encodeURIComponent(apiKey)}`;
    const error = { code: 'AuthenticationError', message: `The key is wrong: ${words}` };
    return { status, body: JSON.stringify({ error }) };
  };
  for (const status of [401, 400, 500]) {
    provider.next('create', { work: 'not-done', answer: quoting(status) });
    await create(world, customer);
    await world.said(status === 500 ? 'submit not answered' : '"msg":"refused"');
  }
  const signature = plant("the signature of a provider's address", newValue('tos'));
  const video_url = `${echo.url}/none.mp4?X-Tos-Signature=${encodeURIComponent(signature)}`;
  provider.next('get', {
    work: 'done',
    answer: {
      status: 200,
      body: JSON.stringify({ id: 'x', status: 'succeeded', content: { video_url } }),
    },
  });
  await create(world, customer);
  await world.said('the result could not be collected');
}

/** A create with everything in it that its sender may want to keep to himself. */
async function create({ listener, echo }: World, { key, taskIds }: Customer): Promise<string> {
  const { plant, ask } = listener;
  const token = encodeURIComponent(plant('a token in a callback address', newValue(), theirs));
  const signed = encodeURIComponent(plant('the signature of a material', newValue(), theirs));
  const reply = await ask('key', 'POST', '/v1/videos/generations', {
    headers: {
      ...keyOf(key),
      'idempotency-key': plant('an Idempotency-Key', newValue(), /the database/),
    },
    body: {
      model: 'vidgen-2-0-mini',
      input: {
        prompt: plant('a prompt', newValue('Paper boat'), theirs),
        generation_type: 'image-to-video',
        image_urls: [`${echo.url}/boat.png?X-Amz-Signature=${signed}`],
        resolution: '480p',
        duration: 5,
      },
      callback_url: `${echo.url}/hook?token=${token}`,
    },
  });
  const taskId = taskIdOf(reply);
  taskIds.push(taskId);
  return taskId;
}

async function finalOf({ listener }: World, { key }: Customer, taskId: string): Promise<unknown> {
  for (;;) {
    const path = `/v1/tasks/${taskId}?wait=20`;
    const { body } = await listener.ask('key', 'GET', path, { headers: keyOf(key) });
    if (body.data) return body.data;
  }
}

function taskIdOf({ status, body, text }: Reply): string {
  assert.equal(status, 200, text);
  return String(body.taskId);
}

/** Somebody who joins by a link, signs in and out, and forgets a password. */
export async function join(
  { listener, admin }: World,
  { accountId }: Customer,
  as: Member['as'],
): Promise<Member> {
  const { ask, plant } = listener;
  const linked = /^POST \/admin\/.*(invitations|password-link) as operator: /;
  const newLink = async (path: string, body?: unknown) => {
    const { body: made } = await ask('operator', 'POST', path, { headers: admin, body });
    return plant('a link', String(made.link).split('#')[1]!, linked);
  };
  const email = `${as}-${accountId.slice(0, 8)}@example.com`;
  const send = async (path: string, body: unknown, cookie?: string) => {
    const headers = { 'sec-fetch-site': 'same-origin', ...(cookie ? { cookie } : {}) };
    const reply = await ask(as, 'POST', path, { headers, body });
    const [pair] = (reply.headers.getSetCookie()[0] ?? '').split(';');
    if (pair) plant('a session', pair.split('=')[1]!, / as (owner|viewer): 20[01]$/);
    return { reply, cookie: pair ?? '' };
  };
  const password = () => plant('a password', newValue('pass word'));
  const token = await newLink(`/admin/accounts/${accountId}/invitations`, { role: as });
  const first = password();
  await send('/links/look', { token });
  const joined = await send('/links/use', { token, name: 'Ada', email, password: first });
  assert.equal(joined.reply.status, 201, joined.reply.text);
  await send('/session', { email, password: password() });
  const signedIn = await send('/session', { email, password: first });
  const confirmed = await send('/session/confirm', { password: first }, signedIn.cookie);
  const second = password();
  const changed = { current_password: first, new_password: second };
  await send('/session/password', changed, confirmed.cookie);
  const { person } = joined.reply.body as { person: { id: string } };
  const forgotten = await newLink(`/admin/people/${person.id}/password-link`);
  const back = await send('/links/use', { token: forgotten, password: password() });
  const headers = { 'sec-fetch-site': 'same-origin', cookie: back.cookie };
  return { as, personId: person.id, email, headers };
}

/** Codes, a payment that Stripe declines in our own words, an upload, a test call. */
export async function topUp(world: World, customer: Customer, owner: Member): Promise<void> {
  const { listener, admin } = world;
  const { ask, plant } = listener;
  const account = `/admin/accounts/${customer.accountId}`;
  const { headers } = owner;
  const wanted = { amount: 10, mode: 'live', count: 2, note: 'canaries' };
  const made = await ask('operator', 'POST', '/admin/redemption-codes', {
    headers: admin,
    body: wanted,
  });
  const codes = (made.body.items as readonly { code: string }[]).map(({ code }) => code);
  for (const code of codes) {
    plant('a redemption code', code, /^POST \/admin\/redemption-codes as operator: /);
  }
  for (const code of [codes[0], codes[0], plant('a wrong code', newValue('code'))]) {
    await ask('owner', 'POST', `${account}/redemptions`, { headers, body: { code } });
  }
  await ask('owner', 'POST', `${account}/checkouts`, { headers, body: { pack: 'small' } });
  const url = `${world.echo.url}/test?token=${plant('a token in a test call', newValue(), theirs)}`;
  await ask('owner', 'POST', `${account}/deliveries/test`, { headers, body: { url } });
  const picture = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex');
  const uploaded = await ask('owner', 'POST', `${account}/uploads`, {
    headers: { ...headers, 'content-type': 'image/jpeg' },
    body: picture,
  });
  const address = new URL(String(uploaded.body.url));
  plant('the signature of an upload', address.searchParams.get('signature')!, theirs);
  customer.addresses.push(address.pathname + address.search);
}
