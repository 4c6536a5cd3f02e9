/** Wrong passwords of others do not keep a person out, over real HTTP through a trusted proxy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { extendBlocks, type Guest, newMember } from '../../../proof/kit/people.ts';
import { useService } from '../../../proof/kit/service.ts';

const environment = { VIDGEN_ROLE: 'api', VIDGEN_TRUSTED_PROXIES: '127.0.0.1/32' };
const service = await useService({ environment });
const accountId = (await service.account()).id;

const newPerson = () => newMember(service, { accountId, role: 'owner' });
let networks = 0;
const newNetwork = () => `198.51.100.${++networks}`;

type Visit = { readonly network: string; readonly cookie?: string };

async function signIn(
  { email }: Pick<Guest, 'email'>,
  password: string,
  { network, cookie }: Visit,
) {
  const response = await fetch(`${service.url}/session`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': network,
      ...(cookie === undefined ? {} : { cookie }),
    },
    body: JSON.stringify({ email, password }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  const device = response.headers
    .getSetCookie()
    .map((one) => one.split(';')[0]!)
    .find((one) => one.includes('vidgen_device='));
  return { status: response.status, headers: response.headers, body, device };
}

async function guess(person: Guest, visit: Visit): Promise<void> {
  for (let attempts = 0; attempts < 6; attempts++) await signIn(person, 'a wrong password', visit);
  await extendBlocks(service.db);
}

test('right passwords at once are not taken for failed attempts', async () => {
  const owner = await newPerson();
  const visit = { network: newNetwork() };
  const signedIn = await Promise.all(
    Array.from({ length: 8 }, () => signIn(owner, owner.password, visit)),
  );
  assert.deepEqual(new Set(signedIn.map(({ status }) => status)), new Set([201]));
});

test('in the network of the attacker, a device that signed in before is let in', async () => {
  const owner = await newPerson();
  const other = await newPerson();
  const network = newNetwork();
  const { device } = await signIn(owner, owner.password, { network });
  const { device: otherDevice } = await signIn(other, other.password, { network });
  await guess(owner, { network });
  const [name, value] = device!.split('=') as [string, string];
  const forged = `${name}=${value.slice(0, -2)}AA`;
  for (const cookie of [undefined, otherDevice!, forged, `${name}=x`]) {
    const visit = cookie === undefined ? { network } : { network, cookie };
    assertApiError(await signIn(owner, owner.password, visit), 'rate_limited');
  }
  assert.equal((await signIn(owner, owner.password, { network, cookie: device! })).status, 201);
});

test('a known device is throttled by itself', async () => {
  const owner = await newPerson();
  const network = newNetwork();
  const { device } = await signIn(owner, owner.password, { network });
  await guess(owner, { network, cookie: device! });
  const visit = { network: newNetwork(), cookie: device! };
  assertApiError(await signIn(owner, owner.password, visit), 'rate_limited');
});

test('confirmations are throttled by session alone', async () => {
  const owner = await newPerson();
  await guess(owner, { network: '127.0.0.1' });
  const confirm = (password: string) => owner.post('/session/confirm', { password });
  assert.equal((await confirm(owner.password)).status, 200);
  for (let attempts = 0; attempts < 5; attempts++) await confirm('a wrong password');
  await extendBlocks(service.db);
  assertApiError(await confirm(owner.password), 'rate_limited');
  assert.equal((await signIn(owner, owner.password, { network: newNetwork() })).status, 201);
});
