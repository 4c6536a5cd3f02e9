/**
 * Requests that the document allows, and the same with one deviation: a place of the body, a
 * parameter, a header, the path or the method. With each goes what must come of it.
 */
import fc from 'fast-check';
import { askerFor, promised } from './askers.ts';
import { anyChange, type Change, changed } from './changes.ts';
import type { ApiDocument, Operation, Parameter } from './document.ts';
import { bytesTwists, headerTwists } from './headers.ts';
import type { Wire } from './send.ts';
import { anyCharacter, type Hints, valueFor } from './values.ts';
import type { AskerName, World } from './world.ts';

type Twist =
  | { readonly kind: 'none' }
  | { readonly kind: 'body'; readonly change: Change }
  | { readonly kind: 'bytes'; readonly at: number }
  | { readonly kind: 'query'; readonly at: number; readonly text: string }
  | { readonly kind: 'path'; readonly at: number; readonly text: string }
  | { readonly kind: 'header'; readonly at: number }
  | { readonly kind: 'method'; readonly method: string }
  | { readonly kind: 'chunks' }
  | { readonly kind: 'no body' };

export type Request = {
  readonly operation: string;
  readonly asker: AskerName;
  /** Chooses among what there is of a kind. */
  readonly pick: number;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly twist: Twist;
};

export type Expectation = {
  /** Null: any that the document has for the operation. */
  readonly status: number | null;
  /** With a refusal: what its message must name. */
  readonly field: string | null;
  /** The deviation, in words. */
  readonly what: string;
};

/** `@@pool` stands for one of the world's; it is put in when the request is made. */
const hints: Hints = {
  callback_url: ['@@address', '@@address', 'https://hooks.example.com/x', 'https://10.0.0.1/'],
  url: ['@@address'],
  image_urls: ['@@address'],
  video_urls: ['@@address'],
  audio_urls: ['@@address'],
  token: ['@@link'],
  code: ['@@code'],
  password: ['@@password'],
  current_password: ['@@password'],
  cursor: ['@@cursor'],
  key_id: ['@@spareKey'],
  task_id: ['@@task'],
  subject: ['@@account'],
  expires_at: ['2030-01-31T12:00:00Z', '1900000000'],
  since: ['2026-01-01T00:00:00Z'],
  email: ['fuzz@example.com'],
  prompt: ['A paper boat drifts on a quiet lake', '[test:fail] A storm'],
};

const oddTexts = [
  '',
  ' ',
  '0',
  '-1',
  '101',
  '1e3',
  '0x10',
  '1.5',
  'null',
  'true',
  '__proto__',
  '9'.repeat(30),
  'x'.repeat(600),
  '\0',
  '%00',
  '../../../server',
  "'--",
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01T25:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:00+99:99',
  '2026-01-01T00:60:00Z',
  '0000-00-00T00:00:00Z',
  'yesterday',
  '999999999999999',
];
const oddText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 30 }) },
);
const oddSegments = ['%', '%zz', '%c0%af', '~', 'a%2Fb', '%00', '..%2f..', '%F0%9F', ';', 'x.y'];
const otherMethods = ['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'];

function twistFor(operation: Operation): fc.Arbitrary<Twist> {
  const { body, parameters } = operation;
  const has = (place: Parameter['place']) => parameters.some((one) => one.place === place);
  const isJson = body !== null && body.schema !== null;
  const at = fc.nat({ max: 200 });
  const twist = <Kind extends Twist['kind']>(kind: Kind, rest: object = {}) =>
    fc.record({ kind: fc.constant(kind), ...rest }) as unknown as fc.Arbitrary<Twist>;
  const choices: [number, fc.Arbitrary<Twist>][] = [
    [6, twist('none')],
    [isJson ? 10 : 0, twist('body', { change: anyChange })],
    [isJson ? 1 : 0, twist('bytes', { at })],
    [has('query') || has('header') ? 5 : 0, twist('query', { at, text: oddText })],
    [has('path') ? 2 : 0, twist('path', { at, text: fc.oneof(oddText, segment) })],
    [3, twist('header', { at })],
    [1, twist('method', { method: fc.constantFrom(...otherMethods) })],
    [operation.method === 'GET' ? 0 : 1, twist('chunks')],
    [operation.method === 'GET' ? 0 : 1, twist('no body')],
  ];
  return fc.oneof(
    ...choices
      .filter(([weight]) => weight > 0)
      .map(([weight, arbitrary]) => ({ weight, arbitrary })),
  );
}
const segment = fc.constantFrom(...oddSegments);

/** Those that are written down one by one: headers, and bodies that are no JSON. */
export const twistsOf = ({ body }: Operation): readonly Twist[] => [
  ...headerTwists.map((_, at) => ({ kind: 'header', at }) as const),
  ...(body?.schema ? bytesTwists.map((_, at) => ({ kind: 'bytes', at }) as const) : []),
];

/** Every operation alike, but for those that cost a hundred others. */
const rarely = new Set([
  'useLink',
  'signIn',
  'confirmSession',
  'changePassword',
  'docs',
  'metrics',
]);

export function anyRequest({ operations, resolve }: ApiDocument): fc.Arbitrary<Request> {
  const requests = operations.map((operation) => {
    const { id, parameters, body } = operation;
    const values = parameters
      .filter(({ place }) => place !== 'path')
      .map(({ name, schema, required }) => {
        // A task in progress would be waited for.
        const value = name === 'wait' ? fc.constant(0) : valueFor(schema, { resolve, hints, name });
        // Most cursors belong to another list.
        const absent = { weight: name === 'cursor' ? 9 : 2, arbitrary: fc.constant(undefined) };
        return [
          name,
          required ? value : fc.oneof(absent, { weight: 1, arbitrary: value }),
        ] as const;
      });
    return {
      weight: rarely.has(id) ? 1 : 4,
      arbitrary: fc.record({
        operation: fc.constant(id),
        asker: askerFor(operation),
        pick: fc.nat({ max: 1000 }),
        parameters: fc.record(Object.fromEntries(values)),
        body: body?.schema ? valueFor(body.schema, { resolve, hints }) : fc.constant(undefined),
        twist: twistFor(operation),
      }) as fc.Arbitrary<Request>,
    };
  });
  return fc.oneof(...requests);
}

/** The request as it goes out, and what must come back. */
export function rendered(
  request: Request,
  { document, world }: { document: ApiDocument; world: World },
): { readonly operation: Operation; readonly wire: Wire; readonly expectation: Expectation } {
  const operation = document.operations.find(({ id }) => id === request.operation)!;
  const { twist, asker } = request;
  const query = queryOf(operation, request, world);
  const body = bodyOf(operation, request, { document, world });
  const header = headersOf(operation, request, world);
  const path = pathOf(operation, request, world);
  const wire: Wire = {
    method: twist.kind === 'method' ? twist.method : operation.method,
    path: `${path}${query.text && `?${query.text}`}`,
    headers: header.headers,
    body: operation.method === 'GET' || twist.kind === 'method' ? null : body.bytes,
    isChunked: twist.kind === 'chunks' && body.bytes !== null,
  };
  const first = promised(operation, asker);
  const isJudged = twist.kind !== 'path' && twist.kind !== 'method' && twist.kind !== 'header';
  // Who may not ask is told so whatever else is wrong with the request.
  if (first !== 'reached' && isJudged) {
    const what = `${asker} may not`;
    return { operation, wire, expectation: { status: first, field: null, what } };
  }
  return { operation, wire, expectation: query.fault ?? body.fault ?? header.fault ?? nothing };
}

const nothing: Expectation = { status: null, field: null, what: 'in order' };

function pathOf({ path }: Operation, { pick, twist }: Request, world: World): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const odd = twist.kind === 'path' ? names[twist.at % names.length] : undefined;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name !== odd || twist.kind !== 'path') return world.pick(poolOf(path, name), pick);
    const isWritten = oddSegments.includes(twist.text);
    return isWritten ? twist.text : encodeURIComponent(twist.text.toWellFormed());
  });
}

/** What a path's parameter names. Those that are ended, closed or revoked are there for it. */
function poolOf(path: string, name: string): string {
  if (path.startsWith('/guides')) return 'guide';
  if (path.startsWith('/uploads')) return 'upload';
  if (path.startsWith('/sessions')) return 'session';
  if (path.startsWith('/admin/people') || name === 'person') return 'sparePerson';
  if (path.startsWith('/admin/keys')) return 'spareKey';
  if (path.startsWith('/admin/redemption-codes')) return 'codeId';
  if (path.startsWith('/admin/deliveries')) return 'delivery';
  if (path === '/admin/accounts/{id}/close') return 'spareAccount';
  if (name === 'invitation') return 'invitation';
  return path.startsWith('/admin/accounts') ? 'account' : 'task';
}

type Fault = { readonly fault: Expectation | null };

function queryOf(
  { id, parameters, answers }: Operation,
  { parameters: given, twist, pick, asker }: Request,
  world: World,
): Fault & { readonly text: string } {
  const inQuery = parameters.filter(({ place }) => place === 'query');
  if (id === 'getUpload' && twist.kind !== 'query') {
    return { text: world.pick('uploadQuery', pick), fault: null };
  }
  const pairs = inQuery
    .filter(({ name }) => given[name] !== undefined)
    .map(({ name }) => [name, filled(String(given[name]), { world, pick })] as [string, string]);
  const text = () => pairs.map((pair) => pair.map(encoded).join('=')).join('&');
  if (twist.kind !== 'query' || inQuery.length === 0) return { text: text(), fault: null };
  const { name, required, fault } = inQuery[twist.at % inQuery.length]!;
  const value = name === 'wait' && /^[1-9]\d?$/.test(twist.text) ? '0' : twist.text.toWellFormed();
  const at = pairs.findIndex(([known]) => known === name);
  if (at >= 0) pairs.splice(at, 1);
  const ways = ['instead', 'instead', 'twice', 'left out'] as const;
  const way = ways[(twist.at >> 4) % ways.length]!;
  if (way !== 'left out') pairs.push([name, value]);
  if (way === 'twice') pairs.push([name, value]);
  const isForbidden =
    way === 'twice' || (way === 'left out' ? required : textFault(fault, value) !== null);
  // Signed addresses tell nobody what is wrong with them.
  const status = answers.has(400) ? 400 : 404;
  const what = `${name} ${way}: ${JSON.stringify(value)}`;
  const field = status === 400 ? name : null;
  return { text: text(), fault: isForbidden ? { status, field, what: `${asker}, ${what}` } : null };
}

/** A parameter is text: an integer where it is written as one. */
function textFault(fault: Parameter['fault'], text: string): string | null {
  const asText = fault(text);
  return asText !== null && /^-?\d+$/.test(text) ? fault(Number(text)) : asText;
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

function filled(text: string, { world, pick }: { world: World; pick: number }): string {
  return text.replace(/@@(\w+)/g, (_, pool: string) => world.pick(pool, pick));
}

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg' +
    'gg==',
  'base64',
);

function bodyOf(
  { body, answers }: Operation,
  { body: value, twist, pick }: Request,
  { document, world }: { document: ApiDocument; world: World },
): Fault & { readonly bytes: Buffer | null } {
  if (body === null) {
    // An operation without a body takes an empty object, as some clients always send one.
    const isExtra = twist.kind === 'chunks' && pick % 2 === 0;
    const what = 'a body where none is taken';
    const fault = isExtra && answers.has(400) ? { status: 400, field: null, what } : null;
    return {
      bytes: twist.kind === 'chunks' ? Buffer.from(isExtra ? '{"a":1}' : '{}') : null,
      fault,
    };
  }
  if (body.schema === null) {
    const files = [picture, Buffer.from('no picture'), Buffer.alloc(0), picture.subarray(0, 20)];
    return { bytes: twist.kind === 'no body' ? null : files[pick % files.length]!, fault: null };
  }
  const { schema, required, fault } = body;
  const right = filled(JSON.stringify(value), { world, pick });
  if (twist.kind === 'no body') {
    const missing = { status: 400, field: 'body', what: 'no body' };
    return { bytes: null, fault: required ? missing : null };
  }
  if (twist.kind === 'bytes') {
    const { what, bytes } = bytesTwists[twist.at % bytesTwists.length]!;
    const sent = bytes(Buffer.from(right));
    const isOther = sent.toString() !== right;
    return { bytes: sent, fault: isOther ? { status: 400, field: null, what } : null };
  }
  if (twist.kind !== 'body') return { bytes: Buffer.from(right), fault: null };
  const { resolve } = document;
  const { text, field, isAmbiguous } = changed(value, { schema, resolve, change: twist.change });
  const sent = filled(text, { world, pick });
  const isForbidden = isAmbiguous || faultIn(sent, fault) !== null;
  // A body that is not there at all may be left out.
  const what = `${twist.change.kind} at ${field ?? 'the whole'}`;
  const isLeftOut = sent === '' && !required;
  return {
    bytes: Buffer.from(sent),
    fault: isForbidden && !isLeftOut ? { status: 400, field, what } : null,
  };
}

function faultIn(text: string, fault: (value: unknown) => string | null): string | null {
  try {
    return fault(JSON.parse(text));
  } catch {
    return 'no JSON';
  }
}

function headersOf(
  operation: Operation,
  { asker, twist, parameters, pick }: Request,
  world: World,
): Fault & { readonly headers: Wire['headers'] } {
  const isBytes = operation.body !== null && operation.body.schema === null;
  const type = isBytes ? ['image/png', 'application/octet-stream'][pick % 2]! : 'application/json';
  const key = parameters['Idempotency-Key'];
  const right: (readonly [string, string])[] = [
    ...world.headersOf(asker),
    ...(operation.method === 'GET' ? [] : [['content-type', type] as const]),
    ...(typeof key === 'string' ? [['idempotency-key', printable(key)] as const] : []),
  ];
  if (twist.kind !== 'header') return { headers: right, fault: null };
  const { what, headers, expected } = headerTwists[twist.at % headerTwists.length]!;
  const kept = right.filter(([name]) => !(name in headers));
  const other = Object.entries(headers).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  // Whoever comes without a token comes as a browser does.
  const isPerson = world.tokens[asker] === undefined;
  const isReached = promised(operation, asker) === 'reached';
  const status = isReached ? (expected?.(operation, { isPerson }) ?? null) : null;
  return {
    headers: [...kept, ...other],
    fault: { status, field: null, what: `${asker}, ${what}` },
  };
}

/** A header's ends are trimmed on the way, and nothing else than Latin-1 gets there at all. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '~').trim() || 'key';
