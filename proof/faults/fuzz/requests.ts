/**
 * Draws requests that the document allows, the same with one change of the body, a parameter, a
 * header, the path or the method, and requests to paths that the document does not have.
 */
import fc from 'fast-check';
import type { ApiDocument, ApiOperation } from './document.ts';
import {
  adminCallers,
  type Caller,
  callers,
  type FuzzEnvironment,
  keyCallers,
  tinyImage,
} from './environment.ts';
import type { WireRequest } from './send.ts';
import { anyText, changedValue, valueFor } from './values.ts';

export type FuzzRequest = WireRequest & {
  readonly caller: Caller;
  /** Null for paths that the document does not have. */
  readonly operationId: string | null;
  readonly isForbidden: boolean;
};

const oddTexts = [
  ...['', ' ', '0', '-1', '101', '1e3', '0x10', '1.5', 'null', 'true', '__proto__', '\0', '%00'],
  ...['9'.repeat(30), 'x'.repeat(600), '../../../server', "'--", 'yesterday', '999999999999999'],
  ...['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T25:00:00Z'],
  ...['2026-01-01T24:00:00Z', '2026-01-01T00:00:00+99:99', '2026-01-01T00:60:00Z'],
  '0000-00-00T00:00:00Z',
];
const oddText = fc.oneof(fc.constantFrom(...oddTexts), anyText(30));
const oddSegment = fc.oneof(
  fc.constantFrom(
    '%',
    '%zz',
    '%c0%af',
    '~',
    'a%2Fb',
    '%00',
    '..%2f..',
    '%F0%9F',
    ';',
    '..',
    '%2e%2e',
  ),
  oddText.map((text) => encodeURIComponent(text.toWellFormed())),
);
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'];

type HeaderPairs = WireRequest['headers'];
const oddHeaders: readonly HeaderPairs[] = Object.entries({
  authorization: [
    ...['', 'Bearer', 'Bearer  ', 'Basic dXNlcjpwYXNz', 'bearer vg_live_x', 'Bearer a, Bearer b'],
    ...[`Bearer ${'x'.repeat(8000)}`, 'Bearer \u00ff\u00fe', `Bearer vg_live_${'0'.repeat(49)}`],
  ],
  'content-type': [
    ...['text/plain', ';', 'application/jsonp', 'multipart/form-data; boundary=x', 'text/json'],
    ...[
      'application/json; charset=latin1',
      'APPLICATION/JSON;charset="utf-8"',
      'application/json;;;=',
    ],
  ],
  'content-encoding': ['gzip', 'br', 'identity, gzip', 'x', 'identity'],
  expect: ['100-continue', 'miracles'],
  accept: ['text/html', 'garbage', ';;;'],
  'accept-encoding': ['gzip', '*;q=0', 'x'.repeat(2000)],
  'if-none-match': ['*', 'W/"x", "y"', '"'.repeat(1000)],
  'if-modified-since': ['Thu, 01 Jan 2099 00:00:00 GMT', 'yesterday'],
  range: ['bytes=-1', 'bytes=5-2', 'bytes=0-0,1-1', 'bytes=9e9-', 'items=1'],
  'idempotency-key': ['x'.repeat(255), "'; drop table tasks; --"],
  cookie: ['__Host-vidgen_session=x', '=;=;=', `a=${'x'.repeat(7000)}`],
  'x-forwarded-for': ['10.0.0.1', 'garbage, 127.0.0.1'],
  'x-forwarded-host': ['evil.example'],
  'x-http-method-override': ['DELETE'],
  'x-request-id': ['x'.repeat(3000)],
  'user-agent': ['', '\u00e9'.repeat(500)],
  origin: ['https://evil.example', 'null', 'garbage'],
  'sec-fetch-site': ['cross-site'],
})
  .flatMap(([name, values]) => values.map((value) => [[name, value] as const]))
  .concat([
    [
      ['authorization', 'Bearer a'],
      ['authorization', 'Bearer b'],
    ],
    [
      ['content-type', 'text/plain'],
      ['content-type', 'application/json'],
    ],
  ] as never);

/** Bodies that are not JSON, made of a valid one. */
const brokenJson: readonly ((json: string) => Buffer)[] = [
  (json) => Buffer.from(`\ufeff${json}`),
  (json) => Buffer.from(json, 'utf16le'),
  (json) => Buffer.concat([Buffer.from(json), Buffer.from([0xc3])]),
  (json) => Buffer.from(json).subarray(0, -1),
  (json) => Buffer.from(`${json}{}`),
  (json) => Buffer.from(`${json}\0`),
  (json) => Buffer.from(`${json.slice(0, -1)},}`),
  (json) => Buffer.from(`${json} // so`),
  () => Buffer.from('{"a":1,"\\u0061":2}'),
  () => Buffer.alloc(50_000, '['),
  () => Buffer.alloc(1024 * 1024 + 1, ' '),
];
const files = [tinyImage, Buffer.from('no image'), Buffer.alloc(0), tinyImage.subarray(0, 20)];

/** Operations that cost as much as a hundred others are drawn less often. */
const rarely = new Set('useLink signIn confirmSession changePassword docs metrics'.split(' '));
/** With a session, these would replace it by that of another person. */
const anonymousOperations = 'signIn useLink enterCode forgotPassword startOpenId'.split(' ');
/** A wait would block on a running task. */
const unwaited: Readonly<Record<string, string>> = { wait: '0', until: 'change' };

export function anyRequest(document: ApiDocument, env: FuzzEnvironment): fc.Arbitrary<FuzzRequest> {
  const described = document.operations.map((operation) => ({
    weight: rarely.has(operation.id) ? 1 : 4,
    arbitrary: requestFor(operation, document, env),
  }));
  return fc.oneof(
    { weight: 9, arbitrary: fc.oneof(...described) },
    { weight: 1, arbitrary: undescribedRequest(document, env) },
  );
}

function callerFor({ id, path }: ApiOperation): fc.Arbitrary<Caller> {
  if (anonymousOperations.includes(id)) return fc.constant('anonymous');
  const usual = /^\/(v1|api|mcp)\b/.test(path) ? keyCallers : adminCallers;
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Caller>(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...callers) },
  );
}

function requestFor(
  operation: ApiOperation,
  { resolve }: ApiDocument,
  env: FuzzEnvironment,
): fc.Arbitrary<FuzzRequest> {
  const { body, method, parameters } = operation;
  const valueIn = (schema: NonNullable<typeof body>['schema'], name?: string) =>
    valueFor(schema!, { resolve, hints: env.hints }, name);
  const inQuery = parameters.filter(({ location }) => location === 'query');
  const queryValues = inQuery.map(({ name, schema, required }) => {
    const value = name in unwaited ? fc.constant(unwaited[name]) : valueIn(schema, name);
    // Most cursors belong to another list.
    const absent = { weight: name === 'cursor' ? 9 : 2, arbitrary: fc.constant(undefined) };
    return [name, required ? value : fc.oneof(absent, { weight: 1, arbitrary: value })] as const;
  });
  const json = body?.schema ? valueIn(body.schema) : fc.constant({});
  const change = fc.constantFrom(
    'none',
    'none',
    'body',
    'body',
    'bytes',
    'query',
    'path',
    'header',
    'method',
    'chunks',
    'no body',
  );
  return fc
    .record({
      caller: callerFor(operation),
      query: fc.record(Object.fromEntries(queryValues)),
      json: fc
        .tuple(json)
        .chain(([value]) => fc.record({ value: fc.constant(value), changed: changedValue(value) })),
      change,
      at: fc.nat({ max: 200 }),
      text: oddText,
      segment: oddSegment,
      method: fc.constantFrom(...methods),
    })
    .map((drawn) => {
      const { caller, at } = drawn;
      const is = (name: string) => drawn.change === name;
      const query = queryFor(operation, drawn.query, is('query') ? drawn : null);
      const sent = bodyFor(operation, drawn);
      const type = body && !body.schema ? 'image/png' : 'application/json';
      const odd = is('header') ? oddHeaders[at % oddHeaders.length]! : [];
      const headers = [...env.headersFor(caller), ['content-type', type] as const];
      const text = operation.id === 'getUpload' && !is('query') ? env.uploadQuery : query.text;
      return {
        caller,
        operationId: operation.id,
        isForbidden: !is('method') && (query.isForbidden || sent.isForbidden),
        method: is('method') ? drawn.method : method,
        path: `${pathFor(operation, env, is('path') ? drawn.segment : null)}${text && `?${text}`}`,
        headers: [...headers.filter(([name]) => !odd.some(([other]) => other === name)), ...odd],
        body: method === 'GET' || is('method') ? null : sent.bytes,
        isChunked: is('chunks'),
      };
    });
}

function queryFor(
  { parameters }: ApiOperation,
  values: Readonly<Record<string, unknown>>,
  change: { readonly at: number; readonly text: string } | null,
): { readonly text: string; readonly isForbidden: boolean } {
  const inQuery = parameters.filter(({ location }) => location === 'query');
  // Objects have a parameter for each of their fields.
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined && typeof value !== 'object')
    .map(([name, value]) => [name, String(value)] as const);
  const changed = change ? inQuery[change.at % inQuery.length] : undefined;
  if (!change || !changed) return { text: encodeQuery(pairs), isForbidden: false };
  const { name, required, check } = changed;
  const isWait = name === 'wait' && /^[1-9]\d?$/.test(change.text);
  const value = isWait ? '0' : change.text.toWellFormed();
  const times = (change.at >> 4) % 3;
  const others = pairs.filter(([known]) => known !== name);
  const isWrong =
    times === 0 ? required : check([value]) !== null && (times === 2 || isWrongText(check, value));
  return {
    text: encodeQuery([...others, ...Array(times).fill([name, value])]),
    isForbidden: isWrong,
  };
}

/** A parameter is text; an integer schema accepts digits, and a list one or several texts. */
const isWrongText = (check: (value: unknown) => string | null, text: string): boolean =>
  check(text) !== null && (!/^-?\d+$/.test(text) || check(Number(text)) !== null);

const encodeQuery = (pairs: readonly (readonly [string, string])[]): string =>
  pairs
    .map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join('='))
    .join('&');

function bodyFor(
  { body }: ApiOperation,
  {
    json,
    change,
    at,
  }: {
    readonly json: { value: unknown; changed: unknown };
    readonly change: string;
    readonly at: number;
  },
): { readonly bytes: Buffer | null; readonly isForbidden: boolean } {
  if (change === 'no body') return { bytes: null, isForbidden: false };
  if (!body) return { bytes: change === 'chunks' ? Buffer.from('{}') : null, isForbidden: false };
  if (!body.schema) return { bytes: files[at % files.length]!, isForbidden: false };
  const right = JSON.stringify(json.value);
  if (change === 'bytes') {
    return { bytes: brokenJson[at % brokenJson.length]!(right), isForbidden: true };
  }
  if (change !== 'body') return { bytes: Buffer.from(right), isForbidden: false };
  const text = JSON.stringify(json.changed) ?? '';
  return {
    bytes: Buffer.from(text),
    isForbidden: text !== '' && body.check(JSON.parse(text)) !== null,
  };
}

function pathFor({ path, method }: ApiOperation, env: FuzzEnvironment, odd: string | null): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => odd ?? env.ids[idFor(path, name, method)]);
}

/** Operations that end or limit an account. */
const spareAccountPath =
  /^\/admin\/accounts\/{id}\/(close|erase|retention|suspend|limits|credits)$/;

function idFor(path: string, name: string, method: string): keyof FuzzEnvironment['ids'] {
  if (path.startsWith('/guides')) return 'guide';
  if (path.startsWith('/uploads')) return 'upload';
  if (path.startsWith('/sessions')) return 'session';
  if (path.startsWith('/admin/people') || name === 'person') return 'sparePerson';
  if (path.startsWith('/admin/keys')) return 'spareKey';
  if (path.startsWith('/admin/redemption-codes')) return 'code';
  if (path.startsWith('/admin/deliveries')) return 'delivery';
  if (name === 'invitation') return 'invitation';
  if (spareAccountPath.test(path) || method === 'PATCH') return 'spareAccount';
  if (path.startsWith('/admin/accounts')) return 'account';
  return method === 'DELETE' ? 'spareTask' : 'task';
}

const undescribedPaths = [
  ...['/', '/dashboard', '/dashboard/tasks', '/dashboard/assets/{x}', '/docs/scalar.js'],
  ...['/callbacks/{x}', '/callbacks/{x}/{x}', '/stripe/events', '/{x}', '/v1/{x}', '/admin/{x}'],
  ...['/v1//tasks', '/V1/tasks', '/v1/tasks/'],
];
const queries = ['', '?', '?%', '?&&&', '?=', '?a=%ff', '??', '?limit=1&limit=2', '?__proto__=x'];
const types = ['application/json', 'text/plain', ';', 'application/octet-stream', ''];

/** Pages, callbacks, unknown paths, any method on any path, bodies of any bytes. */
function undescribedRequest(
  { operations }: ApiDocument,
  env: FuzzEnvironment,
): fc.Arbitrary<FuzzRequest> {
  const listed = operations.map(({ path }) => path.replace(/\{\w+\}/g, '{x}'));
  return fc
    .record({
      method: fc.constantFrom(...methods.slice(0, 7)),
      path: fc.oneof(fc.constantFrom(...undescribedPaths), fc.constantFrom(...listed)),
      segment: oddSegment,
      query: fc.constantFrom(...queries),
      type: fc.constantFrom(...types),
      caller: fc.constantFrom(...callers.slice(0, 3)),
      body: fc.oneof(anyText(40), fc.uint8Array({ maxLength: 60 })),
    })
    .map(({ method, path, segment, query, type, caller, body }) => ({
      caller,
      operationId: null,
      isForbidden: false,
      method,
      path: `${path.replaceAll('{x}', () => segment)}${query}`,
      headers: [...env.headersFor(caller), ['content-type', type]],
      body: method === 'GET' || method === 'HEAD' ? null : Buffer.from(body as string),
    }));
}
