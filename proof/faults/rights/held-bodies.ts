/**
 * Takes a right away while a request that needs it is under way: between its headers and the end of
 * its body, or while the handler runs. The request must be rejected and must change nothing.
 */

import { hashPassword } from '../../../server/accounts/people/password.ts';
import { createPerson } from '../../../server/accounts/people/person.ts';
import { createSession } from '../../../server/accounts/people/session.ts';
import { sleep } from '../../../server/process/clock.ts';
import { type FakeStripe, startFakeStripe } from '../../kit/fake-stripe.ts';
import { startOpenIdProvider } from '../../kit/openid-provider.ts';
import { testPassword } from '../../kit/people.ts';
import type { ParsedResponse } from '../../kit/raw-http.ts';
import { startReceiver } from '../../kit/receiver.ts';
import { type AllowedCaller, roleTable } from '../../kit/role-table.ts';
import { startService, type TestService } from '../../kit/service.ts';
import { changedTables, readState } from './database-state.ts';
import { endpointRequests } from './endpoint-requests.ts';
import { holdRequest, type RawRequest, sendRequest } from './held-request.ts';
import { type Actor, type LostRight, loseRight, waysToLose } from './lost-rights.ts';

/** `body`: lost before the body has arrived. `transaction`: lost while the handler runs. */
type LostWhen = 'body' | 'transaction';

export type LostRightCase = {
  readonly endpoint: string;
  readonly how: LostRight;
  readonly when: LostWhen;
};

/** Endpoints that change nothing in the database; only the first judgement counts. */
const withoutTransaction: readonly string[] = [
  'POST /v1/videos/generations/estimate',
  'POST /admin/accounts/:id/generations/estimate',
  'POST /admin/accounts/:id/uploads',
  'POST /v1/files',
];

/** Endpoints that only say what to use instead. */
const notOffered: readonly string[] = ['POST /v1/videos/:id/remix', 'POST /v1/videos/characters'];

/** Longer than a request takes to reach its transaction; longer only weakens a case. */
const handlerMs = 250;

const allowedBy = new Map<string, AllowedCaller>(
  Object.entries(roleTable).flatMap(([allowed, names]) =>
    names.map((name) => [name, allowed as AllowedCaller] as const),
  ),
);

/** Every endpoint with a right that is not a GET: these can have a body. */
export const rightfulEndpoints: readonly string[] = [...allowedBy]
  .filter(([name, allowed]) => !name.startsWith('GET ') && !/^(anyone|nearby)$/.test(allowed))
  .map(([name]) => name)
  .filter((name) => !notOffered.includes(name));

export const lostRightCases: readonly LostRightCase[] = rightfulEndpoints.flatMap((endpoint) =>
  waysToLose(endpoint, allowedBy.get(endpoint)!).flatMap((how) => [
    { endpoint, how, when: 'body' as const },
    ...(withoutTransaction.includes(endpoint)
      ? []
      : [{ endpoint, how, when: 'transaction' as const }]),
  ]),
);

export type RightsFixture = AsyncDisposable & {
  /** Sends a request that keeps its right and returns the status. */
  sendAllowed(endpoint: string): Promise<ParsedResponse>;
  /** Returns what is wrong; nothing if the request was rejected without effect. */
  tryLostRight(one: LostRightCase): Promise<string[]>;
};

export async function openRightsFixture(): Promise<RightsFixture> {
  const stripe: FakeStripe = await startFakeStripe();
  const receiver = await startReceiver();
  const openid = await startOpenIdProvider();
  const service = await startService({
    environment: {
      ...{ VIDGEN_ROLE: 'api', VIDGEN_RATE_STATUS: '0', VIDGEN_RATE_CREATE: '0' },
      // Mail is only queued here.
      ...{ VIDGEN_SMTP_URL: 'smtp://127.0.0.1:9', VIDGEN_MAIL_FROM: 'vidgen@example.com' },
      ...openid.environment,
    },
    file: { topUps: { stripe: stripe.settings } },
  });
  openid.register(service.url);
  const passwordHash = await hashPassword(testPassword);
  const urls = { receiverUrl: receiver.url, openIdIssuer: openid.issuer };
  const prepare = (endpoint: string) =>
    prepareRequest({ service, ...urls, passwordHash }, endpoint);
  return {
    async sendAllowed(endpoint) {
      return await sendRequest(service.url, (await prepare(endpoint)).request);
    },
    async tryLostRight(one) {
      const { request, actor } = await prepare(one.endpoint);
      const outcome =
        one.when === 'body'
          ? await loseBeforeBody(service, { request, actor, how: one.how })
          : await loseInHandler(service, { request, actor, how: one.how });
      const { response, changed } = outcome;
      const isRejected = [401, 403, 404].includes(response.status);
      const detail = `${response.status} ${JSON.stringify(response.body)}`;
      return [
        ...(isRejected ? [] : [`answered ${detail}`]),
        ...(changed.length > 0 ? [`changed ${changed.join(', ')}`] : []),
      ].map((message) => `${one.endpoint}, ${one.how} (${one.when}): ${message}`);
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      await openid.close();
      await receiver.close();
      await stripe.close();
    },
  };
}

type Prepared = { readonly request: RawRequest; readonly actor: Actor };

/** A new account and caller with exactly the right that the endpoint needs. */
async function prepareRequest(
  fixture: {
    service: TestService;
    receiverUrl: string;
    openIdIssuer: string;
    passwordHash: string;
  },
  endpoint: string,
): Promise<Prepared> {
  const { service, receiverUrl, openIdIssuer } = fixture;
  const allowed = allowedBy.get(endpoint)!;
  const account = await service.account({ live: 100 });
  const caller =
    allowed === 'key'
      ? { personId: undefined, headers: { authorization: `Bearer ${account.key}` } }
      : await newCaller(fixture, { accountId: account.id, allowed });
  const { personId } = caller;
  const urls = { receiverUrl, openIdIssuer };
  const context = { service, account, ...urls, ...(personId ? { personId } : {}) };
  const { path, body = {} } = await endpointRequests[endpoint]!(context);
  const [method, template] = endpoint.split(' ') as [string, string];
  const isBytes = Buffer.isBuffer(body);
  return {
    actor: { accountId: account.id, keyId: account.keyId, personId },
    request: {
      method,
      path: path ?? template.replace(':id', account.id),
      headers: {
        ...caller.headers,
        'content-type': isBytes ? 'image/png' : 'application/json',
      },
      body: isBytes ? body : Buffer.from(JSON.stringify(body)),
    },
  };
}

let people = 0;

async function newCaller(
  { service, passwordHash }: { service: TestService; passwordHash: string },
  { accountId, allowed }: { accountId: string; allowed: AllowedCaller },
) {
  const { id: personId, token } = await service.db.transaction(async (tx) => {
    const email = `holder-${++people}@example.com`;
    const administrator = allowed === 'operator';
    const person = await createPerson(tx, { email, name: 'Holder', administrator, passwordHash });
    if (allowed === 'viewer' || allowed === 'developer' || allowed === 'owner') {
      await tx.query('insert into memberships (account_id, person_id, role) values ($1, $2, $3)', [
        accountId,
        person.id,
        allowed,
      ]);
    }
    const session = await createSession(tx, { personId: person.id, address: '', agent: '' });
    return { id: person.id, token: session.token };
  });
  const headers = {
    cookie: `__Host-vidgen_session=${token}`,
    'sec-fetch-site': 'same-origin',
  };
  return { personId, headers };
}

type LostRightRun = Prepared & { readonly how: LostRight };
type Outcome = { readonly response: ParsedResponse; readonly changed: readonly string[] };

async function loseBeforeBody(
  { url, db }: TestService,
  { request, actor, how }: LostRightRun,
): Promise<Outcome> {
  const held = await holdRequest(url, request);
  await db.transaction((tx) => loseRight(tx, { how, actor }));
  // The cache of keys learns of it by notification.
  if (request.headers.authorization !== undefined) await sleep(50);
  const before = await readState(db);
  const response = await held.finish();
  return { response, changed: changedTables(before, await readState(db)) };
}

/** The right is lost in a transaction that commits while the request waits for its own. */
async function loseInHandler(
  { url, db }: TestService,
  { request, actor, how }: LostRightRun,
): Promise<Outcome> {
  const { before, responded } = await db.transaction(async (tx) => {
    await loseRight(tx, { how, actor });
    const state = await readState(tx);
    // Not awaited: the request may wait for this transaction.
    const responding = sendRequest(url, request);
    await sleep(handlerMs);
    return { before: state, responded: { responding } };
  });
  const response = await responded.responding;
  return { response, changed: changedTables(before, await readState(db)) };
}
