/**
 * Headers of unusual clients, proxies and attackers, and bodies that are not JSON. Each is one
 * change to a valid request, with the expected status where it is known.
 */
import type { ApiOperation } from './document.ts';

type HeaderMutation = {
  readonly what: string;
  /** Replaces all headers of these names. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Null for any described status. */
  readonly expected?: (operation: ApiOperation, caller: { isPerson: boolean }) => number | null;
};

/** With a session, a wrong type is rejected as a request of another site. */
const wrongType: HeaderMutation['expected'] = ({ body }, { isPerson }) =>
  body?.schema && !isPerson ? 400 : null;
const compressed: HeaderMutation['expected'] = ({ body }) => (body?.schema ? 400 : null);

const valuesOf = (name: string, values: readonly string[], expected?: HeaderMutation['expected']) =>
  values.map((value) => ({
    what: `${name}: ${value.slice(0, 60)}`,
    headers: { [name]: [value] },
    ...(expected ? { expected } : {}),
  }));

export const headerMutations: readonly HeaderMutation[] = [
  ...valuesOf('authorization', [
    '',
    'Bearer',
    'Bearer  ',
    'Basic dXNlcjpwYXNz',
    'bearer vg_live_x',
    `Bearer ${'x'.repeat(8000)}`,
    'Bearer \u00ff\u00fe',
    'Bearer vg_live_0000000000000000000000000000000000000000000000000',
    'Bearer a, Bearer b',
    'Digest username="x"',
  ]),
  { what: 'two authorizations', headers: { authorization: ['Bearer a', 'Bearer b'] } },
  ...valuesOf(
    'content-type',
    ['text/plain', ';', 'application/jsonp', 'multipart/form-data; boundary=x', 'text/json'],
    wrongType,
  ),
  ...valuesOf('content-type', [
    'application/json; charset=latin1',
    'APPLICATION/JSON;charset="utf-8"',
    'application/json;;;=',
  ]),
  {
    what: 'two content types',
    headers: { 'content-type': ['text/plain', 'application/json'] },
  },
  ...valuesOf('content-encoding', ['gzip', 'br', 'identity, gzip', 'x'], compressed),
  ...valuesOf('content-encoding', ['identity']),
  ...valuesOf('expect', ['100-continue', 'miracles']),
  ...valuesOf('accept', ['text/html', 'garbage', ';;;']),
  ...valuesOf('accept-encoding', ['gzip', '*;q=0', 'x'.repeat(2000)]),
  ...valuesOf('if-none-match', ['*', 'W/"x", "y"', '"'.repeat(1000)]),
  ...valuesOf('if-modified-since', ['Thu, 01 Jan 2099 00:00:00 GMT', 'yesterday']),
  ...valuesOf('range', ['bytes=-1', 'bytes=5-2', 'bytes=0-0,1-1', 'bytes=9e9-', 'items=1']),
  ...valuesOf('idempotency-key', ['x'.repeat(255), "'; drop table tasks; --"]),
  ...valuesOf('cookie', ['__Host-vidgen_session=x', '=;=;=', `a=${'x'.repeat(7000)}`]),
  ...valuesOf('x-forwarded-for', ['10.0.0.1', 'garbage, 127.0.0.1']),
  ...valuesOf('x-forwarded-host', ['evil.example']),
  ...valuesOf('x-http-method-override', ['DELETE']),
  ...valuesOf('x-request-id', ['x'.repeat(3000)]),
  ...valuesOf('user-agent', ['', '\u00e9'.repeat(500)]),
  ...valuesOf('origin', ['https://evil.example', 'null', 'garbage']),
  {
    what: 'a page of another site',
    headers: { 'sec-fetch-site': ['cross-site'] },
    // Some operations are open to any page and change nothing.
    expected: ({ id, method, responses }, { isPerson }) =>
      isPerson && method !== 'GET' && responses.has(403) && id !== 'lookAtLink' ? 403 : null,
  },
];

type BodyMutation = readonly [what: string, bytes: (right: Buffer) => Buffer];

/** For operations with a JSON body; each must be rejected. */
export const bodyMutations: readonly BodyMutation[] = [
  ['a byte order mark', (right) => Buffer.concat([Buffer.from('\ufeff'), right])],
  ['UTF-16', (right) => Buffer.from(right.toString(), 'utf16le')],
  ['half a character of UTF-8', (right) => Buffer.concat([right, Buffer.from([0xc3])])],
  ['cut off', (right) => right.subarray(0, Math.max(1, right.length - 1))],
  ['something after it', (right) => Buffer.concat([right, Buffer.from('{}')])],
  ['a NUL after it', (right) => Buffer.concat([right, Buffer.from([0])])],
  ['a comma too many', (right) => Buffer.from(`${right.toString().slice(0, -1)},}`)],
  ['a comment', (right) => Buffer.concat([right, Buffer.from(' // so')])],
  ['a key twice', () => Buffer.from('{"a":1,"\\u0061":2}')],
  ['50,000 brackets', () => Buffer.alloc(50_000, '[')],
  ['a byte over 1 MiB', () => Buffer.alloc(1024 * 1024 + 1, ' ')],
  ['an array around it', (right) => Buffer.from(`[${right.toString()}]`)],
];
