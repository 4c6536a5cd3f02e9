/**
 * Headers of unusual clients, proxies and attackers, and bodies that are not JSON. Each is one
 * change to a valid request, with the expected status where it is known.
 */
import type { ApiOperation } from './document.ts';

export type HeaderMutation = {
  readonly what: string;
  /** Replaces all headers of these names. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Null for any described status. */
  readonly expected?: (operation: ApiOperation, caller: { isPerson: boolean }) => number | null;
};

const always = (status: number) => () => status;
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
  ...valuesOf('accept', ['text/html', '*/*;q=0', 'garbage', 'application/xml', ';;;']),
  ...valuesOf('accept-encoding', ['gzip', 'identity;q=0', '*;q=0', 'x'.repeat(2000)]),
  ...valuesOf('accept-language', ['xx', '*']),
  ...valuesOf('if-none-match', ['*', '"x"', 'W/"x", "y"', '"'.repeat(1000)]),
  ...valuesOf('if-modified-since', ['Thu, 01 Jan 2099 00:00:00 GMT', 'yesterday']),
  ...valuesOf('range', ['bytes=0-', 'bytes=-1', 'bytes=5-2', 'bytes=0-0,1-1', 'bytes=9e9-']),
  ...valuesOf('range', ['items=1']),
  ...valuesOf('idempotency-key', ['x'.repeat(255), 'with spaces', "'; drop table tasks; --"]),
  ...valuesOf('cookie', ['x', '__Host-vidgen_session=x', '=;=;=', 'a=1; a=2']),
  ...valuesOf('cookie', [`a=${'x'.repeat(7000)}`]),
  ...valuesOf('x-forwarded-for', ['10.0.0.1', 'garbage, 127.0.0.1', '::ffff:127.0.0.1']),
  ...valuesOf('x-forwarded-host', ['evil.example']),
  ...valuesOf('x-forwarded-proto', ['https', 'gopher']),
  ...valuesOf('forwarded', ['for="_x";host=evil.example']),
  ...valuesOf('x-http-method-override', ['DELETE', 'PUT']),
  ...valuesOf('x-request-id', ['req_mine', 'x'.repeat(3000)]),
  ...valuesOf('user-agent', ['', '<script>alert(1)</script>', '\u00e9'.repeat(500)]),
  ...valuesOf('referer', ['https://evil.example/']),
  ...valuesOf('origin', ['https://evil.example', 'null', 'garbage']),
  ...valuesOf('te', ['trailers']),
  ...valuesOf('upgrade-insecure-requests', ['1']),
  {
    what: 'a page of another site',
    headers: { 'sec-fetch-site': ['cross-site'] },
    // Some operations are open to any page and change nothing.
    expected: ({ id, method, responses }, { isPerson }) =>
      isPerson && method !== 'GET' && responses.has(403) && id !== 'lookAtLink' ? 403 : null,
  },
];

export type BodyMutation = {
  readonly what: string;
  readonly bytes: (right: Buffer) => Buffer;
  readonly expected: HeaderMutation['expected'];
};

const body = (what: string, bytes: BodyMutation['bytes']): BodyMutation => ({
  what,
  bytes,
  expected: always(400),
});

/** For operations with a JSON body; each must be rejected. */
export const bodyMutations: readonly BodyMutation[] = [
  body('a byte order mark', (right) => Buffer.concat([Buffer.from('\ufeff'), right])),
  body('UTF-16', (right) => Buffer.from(right.toString(), 'utf16le')),
  body('half a character of UTF-8', (right) => Buffer.concat([right, Buffer.from([0xc3])])),
  body('a byte that is no UTF-8', () => Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])),
  body('cut off', (right) => right.subarray(0, Math.max(1, right.length - 1))),
  body('something after it', (right) => Buffer.concat([right, Buffer.from('{}')])),
  body('a NUL after it', (right) => Buffer.concat([right, Buffer.from([0])])),
  body('a comma too many', (right) => Buffer.from(`${right.toString().slice(0, -1)},}`)),
  body('single quotes', (right) => Buffer.from(right.toString().replaceAll('"', "'"))),
  body('a comment', (right) => Buffer.concat([right, Buffer.from(' // so')])),
  body('a form', () => Buffer.from('a=1&b=2')),
  body('50,000 brackets', () => Buffer.alloc(50_000, '[')),
  body('a byte over 1 MiB', () => Buffer.alloc(1024 * 1024 + 1, ' ')),
  body('an array around it', (right) => Buffer.from(`[${right.toString()}]`)),
  body('NaN', () => Buffer.from('{"amount":NaN}')),
];
