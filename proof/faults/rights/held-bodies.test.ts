/**
 * Takes a right away while a request that needs it is under way: between its headers and the end of
 * its body, or while the handler runs. The request must be rejected and must change nothing. Every
 * endpoint with a right, with every way to lose it, at both times.
 *
 * Thorough: `api/people/lost-rights.test.ts` is in every run.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { hashPassword } from '../../../server/accounts/people/password.ts';
import { createPerson } from '../../../server/accounts/people/person.ts';
import { createSession } from '../../../server/accounts/people/session.ts';
import type { Queryable } from '../../../server/database/database.ts';
import { sleep } from '../../../server/process/clock.ts';
import { startFakeStripe } from '../../kit/fake-stripe.ts';
import { startOpenIdProvider } from '../../kit/openid-provider.ts';
import { testPassword } from '../../kit/people.ts';
import { openSocket, type ParsedResponse, parseResponses } from '../../kit/raw-http.ts';
import { startReceiver } from '../../kit/receiver.ts';
import { type AllowedCaller, roleTable } from '../../kit/role-table.ts';
import { startService } from '../../kit/service.ts';
import { endpointRequests } from './endpoint-requests.ts';
import { type Actor, type LostRight, loseRight, waysToLose } from './lost-rights.ts';

const stripe = await startFakeStripe();
const receiver = await startReceiver();
const openid = await startOpenIdProvider();
const service = await startService({
  environment: {
    VIDGEN_ROLE: 'api',
    VIDGEN_RATE_STATUS: '0',
    VIDGEN_RATE_CREATE: '0',
    // Mail is only queued here.
    VIDGEN_SMTP_URL: 'smtp://127.0.0.1:9',
    VIDGEN_MAIL_FROM: 'vidgen@example.com',
    ...openid.environment,
  },
  file: { topUps: { stripe: stripe.settings } },
});
openid.register(service.url);
after(async () => {
  await service.close();
  await openid.close();
  await receiver.close();
  await stripe.close();
});
const { db } = service;
const passwordHash = await hashPassword(testPassword);

/** `body`: lost before the body has arrived. `transaction`: lost while the handler runs. */
type LostWhen = 'body' | 'transaction';

type LostRightCase = {
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
  'POST /admin/margin/rehearsal',
];

/** Longer than a request takes to reach its transaction; longer only weakens a case. */
const handlerMs = 250;

const allowedBy = new Map<string, AllowedCaller>(
  Object.entries(roleTable).flatMap(([allowed, names]) =>
    names.map((name) => [name, allowed as AllowedCaller] as const),
  ),
);

/** Every endpoint with a right that is not a GET: these can have a body. */
const rightfulEndpoints: readonly string[] = [...allowedBy]
  .filter(([name, allowed]) => !name.startsWith('GET ') && !/^(anyone|loopbackOnly)$/.test(allowed))
  .map(([name]) => name);

const lostRightCases: readonly LostRightCase[] = rightfulEndpoints.flatMap((endpoint) =>
  waysToLose(endpoint, allowedBy.get(endpoint)!).flatMap((how) => [
    { endpoint, how, when: 'body' as const },
    ...(withoutTransaction.includes(endpoint)
      ? []
      : [{ endpoint, how, when: 'transaction' as const }]),
  ]),
);

test('has a request for every endpoint with a right', () => {
  assert.deepEqual(Object.keys(endpointRequests).toSorted(), rightfulEndpoints.toSorted());
});

describe('a caller who keeps the right', () => {
  for (const endpoint of rightfulEndpoints) {
    test(`succeeds: ${endpoint}`, async () => {
      const { status, body } = await sendRequest((await prepareRequest(endpoint)).request);
      assert.ok(status >= 200 && status < 300, `${status} ${JSON.stringify(body)}`);
    });
  }
});

describe('a caller who loses the right meanwhile changes nothing', () => {
  for (const one of lostRightCases) {
    test(`${one.endpoint}, ${one.how} (${one.when})`, async () => {
      assert.deepEqual(await tryLostRight(one), []);
    });
  }
});

/** Returns what is wrong; nothing if the request was rejected without effect. */
async function tryLostRight({ endpoint, how, when }: LostRightCase): Promise<string[]> {
  const { request, actor } = await prepareRequest(endpoint);
  const lose = when === 'body' ? loseBeforeBody : loseInHandler;
  const { response, before } = await lose({ request, actor, how });
  const changed = changedTables(before, await readState(db));
  const isRejected = [401, 403, 404].includes(response.status);
  return [
    ...(isRejected ? [] : [`answered ${response.status} ${JSON.stringify(response.body)}`]),
    ...(changed.length > 0 ? [`changed ${changed.join(', ')}`] : []),
  ];
}

type RawRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};
type Prepared = { readonly request: RawRequest; readonly actor: Actor };

/** A new account and caller with exactly the right that the endpoint needs. */
async function prepareRequest(endpoint: string): Promise<Prepared> {
  const allowed = allowedBy.get(endpoint)!;
  const account = await service.account({ live: 100 });
  const caller =
    allowed === 'key'
      ? { personId: undefined, headers: { authorization: `Bearer ${account.key}` } }
      : await newCaller(account.id, allowed);
  const { personId } = caller;
  const context = {
    service,
    account,
    receiverUrl: receiver.url,
    openIdIssuer: openid.issuer,
    ...(personId ? { personId } : {}),
  };
  const given = endpointRequests[endpoint]!;
  const { id, path, body = {} } = typeof given === 'function' ? await given(context) : given;
  const [method, template] = endpoint.split(' ') as [string, string];
  const isBytes = Buffer.isBuffer(body);
  return {
    actor: { accountId: account.id, keyId: account.keyId, personId },
    request: {
      method,
      path: path ?? template.replace(/:(id|name|model)/, id ?? account.id),
      headers: {
        ...caller.headers,
        'content-type': isBytes ? 'image/png' : 'application/json',
      },
      body: isBytes ? body : Buffer.from(JSON.stringify(body)),
    },
  };
}

let people = 0;

async function newCaller(accountId: string, allowed: AllowedCaller) {
  const { id: personId, token } = await db.transaction(async (tx) => {
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
/** `before` is the state of the database without the right, before the request could act. */
type Outcome = { readonly response: ParsedResponse; readonly before: DatabaseState };

async function loseBeforeBody({ request, actor, how }: LostRightRun): Promise<Outcome> {
  const held = await holdRequest(request);
  await db.transaction((tx) => loseRight(tx, { how, actor }));
  // The cache of keys learns of it by notification.
  if (request.headers.authorization !== undefined) await sleep(50);
  const before = await readState(db);
  return { before, response: await held.finish() };
}

/** The right is lost in a transaction that commits while the request waits for its own. */
async function loseInHandler({ request, actor, how }: LostRightRun): Promise<Outcome> {
  const { before, responded } = await db.transaction(async (tx) => {
    await loseRight(tx, { how, actor });
    const state = await readState(tx);
    // Not awaited: the request may wait for this transaction.
    const responding = sendRequest(request);
    await sleep(handlerMs);
    return { before: state, responded: { responding } };
  });
  return { before, response: await responded.responding };
}

/** How long the service takes at most to judge the headers; longer only weakens a test. */
const authorizeMs = 60;

/** Sends the headers and all of the body but its last byte, and waits until they are judged. */
async function holdRequest(request: RawRequest) {
  const { method, path, headers, body } = request;
  const socket = await openSocket(service.url);
  const lines = Object.entries({
    host: new URL(service.url).host,
    connection: 'close',
    'content-length': String(body.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(body.subarray(0, -1));
  await sleep(authorizeMs);
  return {
    /** Sends the rest of the body and returns the response. */
    async finish(): Promise<ParsedResponse> {
      socket.write(body.subarray(-1));
      const [response] = parseResponses(await text(socket));
      if (!response) throw new Error(`no response to ${method} ${path}`);
      return response;
    },
  };
}

const sendRequest = async (request: RawRequest): Promise<ParsedResponse> =>
  await (await holdRequest(request)).finish();

/** Counters that a rejected request may change, and heartbeats. */
const volatileTables = [
  'create_windows',
  'status_rounds',
  'sign_in_troubles',
  'processes',
  'task_counts',
  'delivery_counts',
];
const volatileColumns = ['last_used_at', 'last_seen_at'];
/** Rows that a job deletes after minutes are left out: the state of a running service. */
const lastingRows: Readonly<Record<string, string>> = {
  connected_providers: 'removed_at is null',
  provider_credentials: `t.created_at = (select max(newest.created_at)
    from provider_credentials newest join connected_providers p on p.name = newest.provider
    where newest.provider = t.provider and p.removed_at is null)`,
  provider_versions:
    't.provider in (select name from connected_providers where removed_at is null)',
};

/** A fingerprint of everything the database holds, by table. */
type DatabaseState = Readonly<Record<string, string>>;

async function readState(queryable: Queryable): Promise<DatabaseState> {
  const { rows: tables } = await queryable.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const state: Record<string, string> = {};
  for (const { name } of tables.filter(({ name }) => !volatileTables.includes(name))) {
    const { rows } = await queryable.query<{ row: string }>(
      `select (to_jsonb(t) - $1::text[])::text as row from ${name} t
       where ${lastingRows[name] ?? true} order by 1`,
      [volatileColumns],
    );
    state[name] = createHash('sha256').update(JSON.stringify(rows)).digest('hex');
  }
  return state;
}

const changedTables = (before: DatabaseState, after: DatabaseState): string[] =>
  Object.keys(after).filter((name) => before[name] !== after[name]);
