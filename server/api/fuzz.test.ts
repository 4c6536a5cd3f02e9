/**
 * No request can cause a 500. Random requests, from nearly right to hopeless, over every route:
 * each answer is one that its route describes, and has the shape described.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ErrorAnswer } from '@vidgen/contract/error-answer.ts';
import fc from 'fast-check';
import { textToVideo } from '../testing/journey.ts';
import { assertReadable } from '../testing/refused.ts';
import { startService, testAdminToken } from '../testing/service.ts';
import { descriptions } from './descriptions/descriptions.ts';
import type { RouteDescription } from './route-description.ts';

let service: Awaited<ReturnType<typeof startService>>;
/** Ids and keys that exist, so that a request gets past the door. */
const known = { key: '', tasks: [''], accounts: [''], keys: [''], closing: [''] };
before(async () => {
  service = await startService({
    environment: { VIDGEN_ROLE: 'api', VIDGEN_RATE_STATUS: '0', VIDGEN_RATE_CREATE: '0' },
  });
  const { client, key } = await service.account({ live: 1_000_000 });
  const { body: task } = await client.create(textToVideo);
  known.key = key;
  known.tasks = [String(task.taskId)];
  // Others' accounts: closing one, or revoking its key, leaves the requests a key that works.
  const others = await Promise.all(Array.from({ length: 4 }, () => service.account({ live: 99 })));
  for (const other of others) {
    known.tasks.push(String((await other.client.create(textToVideo)).body.taskId));
  }
  known.accounts = others.slice(1).map(({ id }) => id);
  known.closing = others.slice(0, 1).map(({ id }) => id);
  known.keys = others.map(({ keyId }) => keyId);
});
after(() => service.close());

const routes: readonly RouteDescription[] = Object.values(descriptions);
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', ' ', '\0', '\ud800', '__proto__', 'constructor', '%', '%00', '../..', "'--"),
  fc.constantFrom('null', '1e400', '-0', '9'.repeat(30), 'true', '[]', '{}', 'x'.repeat(3000)),
);
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(0, -1, 1e308, 0.5, 2 ** 53, true, null, [], {}, [[[[]]]], [null]),
  fc.array(oddText, { maxLength: 60 }),
);

type Plain = Record<string, unknown>;

/** Materials are looked at: those of the examples must lead no further than this machine. */
const atHome = (example: unknown): Plain =>
  JSON.parse(JSON.stringify(example).replaceAll('https://media.example.com', 'http://127.0.0.1:1'));

/** A body that would be taken, with a few of its fields replaced, dropped or added. */
const nearlyRight = (right: unknown): fc.Arbitrary<unknown> => {
  const names = [
    ...Object.keys(right as Plain),
    ...Object.keys(((right as Plain).input ?? {}) as Plain),
  ];
  const change = fc.record({
    name: fc.oneof(fc.constantFrom(...names), oddText),
    inside: fc.boolean(),
    value: fc.option(oddValue, { nil: undefined, freq: 5 }),
  });
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    const body = atHome(right);
    for (const { name, inside, value } of changes) {
      const place = inside && typeof body.input === 'object' ? (body.input as Plain | null) : body;
      if (place === null) continue;
      const own = { value, enumerable: true, configurable: true, writable: true };
      if (value === undefined) delete place[name];
      else Object.defineProperty(place, name, own);
    }
    return body;
  });
};

const bodyOf = ({ body, requestExamples }: RouteDescription): fc.Arbitrary<string | Uint8Array> => {
  const right = Object.values(requestExamples ?? {}).map(({ value }) => nearlyRight(value));
  const asJson = fc.oneof(...right, ...right, oddValue).map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 12, arbitrary: body ? asJson : fc.constantFrom('', '', '', '{}') },
    { weight: 1, arbitrary: oddText },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }) },
  );
};

const queryOf = ({ query }: RouteDescription): fc.Arbitrary<string> => {
  const names = Object.keys(query?.shape ?? {}).filter((name) => name !== 'wait');
  const values = fc.oneof(
    oddText,
    fc.constantFrom('1', '5', 'failed', 'live', 'vidgen-2-0', '2026-01-01T00:00:00Z'),
    fc.integer().map(String),
  );
  const pair = fc.tuple(fc.oneof(fc.constantFrom('cursor', ...names), oddText), values);
  return fc.oneof(
    fc.array(pair, { maxLength: 3 }).map((pairs) =>
      pairs
        .map(([name, value]) => [name, value].map((one) => encodeURIComponent(one.toWellFormed())))
        .map((parts) => parts.join('='))
        .join('&'),
    ),
    fc.constantFrom('wait=x', 'wait=0', '%', '&&&', '=', 'a=%ff', '?', 'limit=1&limit=2'),
  );
};

function kindOf(path: string): 'closing' | 'accounts' | 'keys' | 'tasks' {
  if (path.endsWith('/close')) return 'closing';
  if (path.includes('/accounts/')) return 'accounts';
  return path.includes('/keys') ? 'keys' : 'tasks';
}

/** What stands in the path: mostly an id that exists, of the kind that the path is about. */
const segmentOf = ({ path }: RouteDescription): fc.Arbitrary<string> => {
  const kind = kindOf(path);
  return fc.oneof(
    { weight: 6, arbitrary: fc.nat().map((at) => known[kind][at % known[kind].length]!) },
    { weight: 2, arbitrary: oddText.map((text) => encodeURIComponent(text.toWellFormed())) },
    { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '%c0%af', 'x', '~', 'a%2Fb') },
  );
};

const request = fc.constantFrom(...routes).chain((route) =>
  fc.record({
    name: fc.constant(route.operationId),
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constant(route.method) },
      fc.constantFrom(...methods),
    ),
    segments: fc.array(segmentOf(route), { minLength: 2, maxLength: 2 }),
    query: fc.oneof(fc.constant(''), queryOf(route)),
    body: bodyOf(route),
    token: fc.oneof(
      { weight: 9, arbitrary: fc.constant('right') },
      fc.constantFrom('wrong', 'none'),
    ),
    type: fc.oneof(
      { weight: 9, arbitrary: fc.constant('application/json') },
      fc.constantFrom('text/plain', ';', 'application/json; charset=latin1'),
    ),
    header: fc.tuple(
      fc.constantFrom('idempotency-key', 'range', 'if-none-match', 'accept-encoding', 'accept'),
      fc.string({ maxLength: 300 }).map((text) => text.replace(/[^\x20-\x7e]/g, '~')),
    ),
  }),
);
type Request = typeof request extends fc.Arbitrary<infer R> ? R : never;

/** By name, so that what is printed of a failure can be read. */
const routeOf = (name: string) => routes.find(({ operationId }) => operationId === name)!;

async function ask({ name, method, segments, query, body, token, type, header }: Request) {
  const route = routeOf(name);
  const path = route.path.replace(/:\w+/g, () => segments.pop()!);
  const secret = route.auth === 'key' ? known.key : testAdminToken;
  const tokens: Plain = { right: `Bearer ${secret}`, wrong: `Bearer ${secret}x` };
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const answer = await fetch(`${service.url}${path}${query && `?${query}`}`, {
    method,
    redirect: 'manual',
    headers: {
      [header[0]]: header[1],
      ...(hasBody ? { 'content-type': type } : {}),
      ...(token === 'none' ? {} : { authorization: String(tokens[token]) }),
    },
    ...(hasBody ? { body: body as BodyInit } : {}),
  });
  return { answer, text: await answer.text() };
}

async function judge(asked: Request): Promise<void> {
  const { answer, text } = await ask({ ...asked, segments: [...asked.segments] });
  assert(answer.status < 500, `${answer.status} ${text}`);
  assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
  if (answer.status >= 400 && answer.status !== 416) {
    if (asked.method === 'HEAD') return;
    assertReadable(ErrorAnswer.parse(JSON.parse(text)).error.message);
    return;
  }
  const { method, answers } = routeOf(asked.name);
  if (asked.method !== method) return;
  const described = answers[answer.status];
  assert(described, `${answer.status} is not described`);
  if (described.schema && !described.contentType) described.schema.parse(JSON.parse(text));
}

test('no request causes a 500, and every answer is as described', async (t) => {
  const seed = Number(process.env.VIDGEN_TEST_SEED ?? randomInt(2 ** 31));
  t.diagnostic(`VIDGEN_TEST_SEED=${seed}`);
  // On either engine; other requests at every run.
  const numRuns = process.env.VIDGEN_TEST_THOROUGH === '1' ? 2_000 : 250;
  await fc.assert(fc.asyncProperty(request, judge), { seed, numRuns });
  await service.auditClean();
});
