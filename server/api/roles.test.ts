/**
 * Every endpoint with every role. Authorization admits exactly the callers of the role table, hides
 * resources of other accounts, and rejects cross-origin requests.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { textToVideo } from '../../proof/kit/journey.ts';
import { type Guest, newAdministrator, newMember } from '../../proof/kit/people.ts';
import {
  type AllowedCaller,
  confirmed,
  needsActiveAccount,
  roleTable,
} from '../../proof/kit/role-table.ts';
import { startService, testAdminToken } from '../../proof/kit/service.ts';
import { keyPepper } from '../accounts/keys/api-key-format.ts';
import { openKeyCache } from '../accounts/keys/key-cache.ts';
import { insertDeliveries } from '../webhooks/delivery.ts';
import { createApi } from './http/api.ts';
import type { Endpoint } from './http/endpoint-definition.ts';
import type { ApiServices } from './http/handler.ts';
import type { Metrics } from './http/metrics.ts';
import { TaskReader } from './http/task-reader.ts';
import { createRoutes } from './routes.ts';

const metrics: Metrics = { text: async () => '' };
const routes = createRoutes({ metrics });
const routeName = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`;
const isUnsafe = ({ method }: Endpoint) => method !== 'GET';

const roles = ['viewer', 'developer', 'owner'] as const;
const callers = [
  'anonymous',
  ...roles,
  'owner of another account',
  'administrator',
  'admin token',
  'API key',
] as const;
type CallerName = (typeof callers)[number];

/** What the table expects: a status, or that the handler runs. */
function expectedOutcome(allowed: AllowedCaller, caller: CallerName): 'reached' | 401 | 403 | 404 {
  if (allowed === 'anyone' || allowed === 'loopbackOnly') return 'reached';
  if (allowed === 'worker') return 401;
  if (allowed === 'key') return caller === 'API key' ? 'reached' : 401;
  const isToken = caller === 'admin token';
  if (caller === 'anonymous' || caller === 'API key') return 401;
  if (allowed === 'person') return isToken ? 401 : 'reached';
  if (allowed === 'signedIn') return 'reached';
  if (isToken || caller === 'administrator') return 'reached';
  if (allowed === 'operator') return 403;
  if (caller === 'owner of another account') return 404;
  return roles.indexOf(caller) >= roles.indexOf(allowed) ? 'reached' : 403;
}

const allowedBy = new Map<string, AllowedCaller>(
  Object.entries(roleTable).flatMap(([allowed, names]) =>
    names.map((name) => [name, allowed as AllowedCaller] as const),
  ),
);

describe('the role table', () => {
  test('has every endpoint once, and nothing else', () => {
    const listed = Object.values(roleTable).flat();
    assert.equal(new Set(listed).size, listed.length);
    assert.deepEqual(routes.map(routeName).toSorted(), listed.toSorted());
  });

  for (const route of routes) {
    test(`matches the definition: ${routeName(route)}`, () => {
      const { auth, role, resource, authorizesItself, requiresConfirmation } = route;
      const declared = {
        none: 'anyone',
        key: 'key',
        person: 'person',
        worker: 'worker',
        'signed-in': 'signedIn',
        admin: authorizesItself ? 'loopbackOnly' : 'operator',
        member: role,
      }[auth];
      assert.equal(declared, allowedBy.get(routeName(route)));
      assert.equal(requiresConfirmation === true, confirmed.includes(routeName(route)));
      const needsActive = needsActiveAccount.includes(routeName(route));
      assert.equal(route.requiresActiveAccount === true, needsActive);
      if (needsActive) assert.equal(resource, 'account');
      // A role belongs to the account of the resource in the path.
      assert.deepEqual([role, resource].map(Boolean), Array(2).fill(auth === 'member'));
      if (auth === 'member') assert.match(route.path, /\/:id(\/|$)/);
      if (route.path.startsWith('/v1/')) assert.equal(auth, 'key');
      if (route.path.startsWith('/admin/')) assert.notEqual(auth, 'none');
      if (auth === 'key') assert.equal(route.optionalSession, undefined);
    });
  }
});

const service = await startService({
  environment: { VIDGEN_ROLE: 'api', VIDGEN_RATE_STATUS: '0', VIDGEN_RATE_CREATE: '0' },
});
const own = await service.account({ live: 100 });
const other = await service.account();
const people: Readonly<Partial<Record<CallerName, Guest>>> = {
  viewer: await newMember(service, { accountId: own.id, role: 'viewer' }),
  developer: await newMember(service, { accountId: own.id, role: 'developer' }),
  owner: await newMember(service, { accountId: own.id, role: 'owner' }),
  'owner of another account': await newMember(service, { accountId: other.id, role: 'owner' }),
  administrator: await newAdministrator(service),
};
const { body } = await own.client.create(textToVideo);
const taskId = body.taskId as string;
const url = 'http://127.0.0.1:9/hook';
const [delivery] = await service.db.transaction((tx) =>
  insertDeliveries(tx, [{ accountId: own.id, taskId, mode: 'live', url, body: '{}' }]),
);
const ids: Readonly<Record<string, string>> = {
  account: own.id,
  task: taskId,
  delivery: delivery!.id,
  key: own.keyId,
};
/** A server with the same authorization, whose handlers only report that they ran. */
const probe = await startProbe();
after(async () => {
  await probe.close();
  await service.close();
});

async function startProbe() {
  const { db, parts } = service;
  const tasks = new TaskReader(db);
  const keys = await openKeyCache(db, { pepper: keyPepper(parts.secret) });
  const unlimited = { allowed: true, limit: 0, remaining: 0, resetSeconds: 0 };
  const limiter = { consume: () => unlimited, peek: () => unlimited };
  const guarded = {
    lifecycle: parts.lifecycle,
    tasks,
    keys,
    createLimiter: limiter,
    statusLimiter: limiter,
    accountLimits: { create: 0, status: 0, running: 0 },
    adminToken: testAdminToken,
    publicUrl: () => service.url,
  } as unknown as ApiServices;
  const reached: Endpoint['handler'] = async (_services, { actor, isAdmin, role }) => ({
    body: { reached: true, actor, isAdmin, role },
  });
  const api = createApi(guarded, {
    routes: routes.map((route) => ({ ...route, rawBody: true as const, handler: reached })),
  });
  await once(api.server.listen({ host: '127.0.0.1', port: 0 }), 'listening');
  const { port } = api.server.address() as AddressInfo;
  const close = async () => {
    await api.close();
    await keys.close();
    await tasks.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

const requestPath = ({ path, resource }: Endpoint): string =>
  path
    .replace(':id', ids[resource ?? 'account']!)
    .replace(/:\w+/g, 'unknown')
    .replace('*', 'unknown');

type RequestTarget = { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
const ownPage = { 'sec-fetch-site': 'same-origin' };

async function sendRequest(
  route: Endpoint,
  caller: CallerName,
  { url, headers = ownPage }: RequestTarget,
) {
  const token = caller === 'admin token' ? testAdminToken : caller === 'API key' ? own.key : null;
  const cookie = people[caller]?.cookie() ?? null;
  const response = await fetch(`${url}${requestPath(route)}`, {
    method: route.method,
    headers: {
      ...headers,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie === null ? {} : { cookie }),
    },
  });
  const text = await response.text();
  // Without the only part that differs between equal responses.
  const parse = () => JSON.parse(text, (key, value) => (key === 'request_id' ? undefined : value));
  const body = response.headers.get('content-type')?.includes('json') ? parse() : {};
  return { status: response.status, headers: response.headers, body };
}

describe('every endpoint', () => {
  for (const route of routes) {
    const allowed = allowedBy.get(routeName(route))!;
    for (const caller of callers) {
      const outcome = expectedOutcome(allowed, caller);
      test(`${routeName(route)} by ${caller}: ${outcome}`, async () => {
        const { status, body } = await sendRequest(route, caller, { url: probe.url });
        if (outcome === 'reached') {
          assert.deepEqual([status, body.reached], [200, true], JSON.stringify(body));
          return;
        }
        assert.equal(status, outcome, JSON.stringify(body));
        assert.equal(body.reached, undefined);
        // The real service returns the same status and message.
        const real = await sendRequest(route, caller, { url: service.url });
        assert.deepEqual([real.status, real.body], [status, body]);
      });
    }
  }
});

describe('the caller', () => {
  const route = routes.find(({ operationId }) => operationId === 'getAccount')!;
  const actors: readonly (readonly [CallerName, boolean, string])[] = [
    ['admin token', true, 'owner'],
    ['administrator', true, 'owner'],
    ['owner', false, 'owner'],
    ['developer', false, 'developer'],
    ['viewer', false, 'viewer'],
  ];
  for (const [caller, isAdmin, role] of actors) {
    test(`${caller} is the actor, as ${isAdmin ? 'admin' : role}`, async () => {
      const { body } = await sendRequest(route, caller, { url: probe.url });
      assert.equal(body.actor, people[caller]?.email ?? caller);
      assert.deepEqual([body.isAdmin, body.role], [isAdmin, role]);
    });
  }
});

describe('resources of another account', () => {
  const missing = { account: 'x', task: 'task_x', delivery: 'msg_x', key: 'key_x' };
  for (const route of routes.filter(({ auth }) => auth === 'member')) {
    test(`${route.resource} is not found: ${routeName(route)}`, async () => {
      const caller = 'owner of another account';
      const foreign = await sendRequest(route, caller, { url: service.url });
      const none = { ...route, path: route.path.replace(':id', missing[route.resource!]) };
      const absent = await sendRequest(none, caller, { url: service.url });
      assert.equal(absent.status, 404);
      assert.deepEqual(foreign.body, absent.body);
    });
  }
});

describe('cross-origin requests with a session are rejected', () => {
  const acting = routes.filter(
    (route) =>
      isUnsafe(route) && ((route.auth !== 'key' && route.auth !== 'none') || route.optionalSession),
  );
  const pages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'which say nothing of themselves': {},
    'of another site': { 'sec-fetch-site': 'cross-site' },
    'of another host of the site': { 'sec-fetch-site': 'same-site' },
    'of another origin': { origin: 'https://evil.example' },
    'without origin': { origin: 'null' },
  };
  for (const route of acting) {
    test(routeName(route), async () => {
      for (const [what, headers] of Object.entries(pages)) {
        const { status, body } = await sendRequest(route, 'administrator', {
          url: probe.url,
          headers,
        });
        assert.deepEqual([status, body.error?.code], [403, 'forbidden'], what);
      }
      const origin = { origin: probe.url };
      const { status } = await sendRequest(route, 'administrator', {
        url: probe.url,
        headers: origin,
      });
      assert.equal(status, 200);
    });
  }

  test('requests with a token are accepted from any origin', async () => {
    for (const route of acting.filter(({ auth }) => auth === 'admin' || auth === 'member')) {
      const headers = { origin: 'https://evil.example' };
      const { status } = await sendRequest(route, 'admin token', { url: probe.url, headers });
      assert.equal(status, 200, routeName(route));
    }
  });
});

describe('without a recent confirmation', () => {
  before(() =>
    service.db.query(`update sessions set confirmed_at = now() - interval '601 seconds'`),
  );

  for (const route of routes.filter(({ auth }) => auth === 'admin' || auth === 'member')) {
    const expected = route.requiresConfirmation ? 'asked for it' : 'reached';
    test(`${routeName(route)}: ${expected}`, async () => {
      if (route.authorizesItself) return;
      const { status, headers } = await sendRequest(route, 'administrator', { url: probe.url });
      assert.equal(status, route.requiresConfirmation ? 403 : 200);
      assert.equal(headers.get('vidgen-confirm'), route.requiresConfirmation ? 'password' : null);
      assert.equal((await sendRequest(route, 'admin token', { url: probe.url })).status, 200);
    });
  }

  test('an insufficient role is reported first: a password would not help', async () => {
    const route = routes.find(({ operationId }) => operationId === 'rotateWebhookSecret')!;
    const { status, headers } = await sendRequest(route, 'viewer', { url: probe.url });
    assert.deepEqual([status, headers.get('vidgen-confirm')], [403, null]);
  });
});
