/**
 * Draws requests that the document allows, and the same with one mutation of the body, a parameter,
 * a header, the path or the method, with the expected response.
 */
import fc from 'fast-check';
import { callerFor, expectedAccess } from './callers.ts';
import type { ApiDocument, ApiOperation, ApiParameter } from './document.ts';
import type { CallerName, FuzzEnvironment } from './environment.ts';
import { bodyMutations, headerMutations } from './mutations.ts';
import type { WireRequest } from './send.ts';
import { anyChange, applyChange, type Change } from './value-changes.ts';
import { anyCharacter, type Hints, valueFor } from './values.ts';

type Mutation =
  | { readonly kind: 'none' }
  | { readonly kind: 'body'; readonly change: Change }
  | { readonly kind: 'bytes'; readonly at: number }
  | { readonly kind: 'query'; readonly at: number; readonly text: string }
  | { readonly kind: 'path'; readonly at: number; readonly text: string }
  | { readonly kind: 'header'; readonly at: number }
  | { readonly kind: 'method'; readonly method: string }
  | { readonly kind: 'chunks' }
  | { readonly kind: 'no body' };

export type FuzzRequest = {
  readonly operation: string;
  readonly caller: CallerName;
  /** Selects a value from a pool. */
  readonly pick: number;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly mutation: Mutation;
};

export type ResponseExpectation = {
  /** Null for any status that the document describes. */
  readonly status: number | null;
  /** The field that the message of a 400 must name. */
  readonly field: string | null;
  /** Describes the mutation. */
  readonly what: string;
};

const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg' +
    'gg==',
  'base64',
);

/** `@@pool` is replaced by a value of the environment when the request is rendered. */
const hints: Hints = {
  callback_url: ['@@address', '@@address', 'https://hooks.example.com/x', 'https://10.0.0.1/'],
  url: ['@@address'],
  image_urls: ['@@address', `data:image/png;base64,${image.toString('base64')}`],
  video_urls: ['@@address'],
  audio_urls: ['@@address'],
  image_url: ['@@address'],
  model: ['vidgen-2-5', 'vidgen-2-0-mini'],
  size: ['1280x720', '480x854'],
  seconds: ['4', '8'],
  resolution: ['480p', '720p'],
  aspect_ratio: ['16:9'],
  after: ['@@task'],
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
  ...['', ' ', '0', '-1', '101', '1e3', '0x10', '1.5', 'null', 'true', '__proto__', '\0', '%00'],
  ...['9'.repeat(30), 'x'.repeat(600), '../../../server', "'--", 'yesterday', '999999999999999'],
  ...['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T25:00:00Z'],
  ...['2026-01-01T24:00:00Z', '2026-01-01T00:00:00+99:99', '2026-01-01T00:60:00Z'],
  '0000-00-00T00:00:00Z',
];
const oddText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 30 }) },
);
const oddSegments = ['%', '%zz', '%c0%af', '~', 'a%2Fb', '%00', '..%2f..', '%F0%9F', ';', 'x.y'];
const otherMethods = ['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'];

function mutationFor(operation: ApiOperation): fc.Arbitrary<Mutation> {
  const { body, parameters } = operation;
  const has = (location: ApiParameter['location']) =>
    parameters.some((one) => one.location === location);
  const isJson = body !== null && body.schema !== null;
  const at = fc.nat({ max: 200 });
  const withKind = <Kind extends Mutation['kind']>(kind: Kind, rest: object = {}) =>
    fc.record({ kind: fc.constant(kind), ...rest }) as unknown as fc.Arbitrary<Mutation>;
  const choices: [number, fc.Arbitrary<Mutation>][] = [
    [6, withKind('none')],
    [isJson ? 10 : 0, withKind('body', { change: anyChange })],
    [isJson ? 1 : 0, withKind('bytes', { at })],
    [has('query') || has('header') ? 5 : 0, withKind('query', { at, text: oddText })],
    [has('path') ? 2 : 0, withKind('path', { at, text: fc.oneof(oddText, segment) })],
    [3, withKind('header', { at })],
    [1, withKind('method', { method: fc.constantFrom(...otherMethods) })],
    [operation.method === 'GET' ? 0 : 1, withKind('chunks')],
    [operation.method === 'GET' ? 0 : 1, withKind('no body')],
  ];
  return fc.oneof(
    ...choices
      .filter(([weight]) => weight > 0)
      .map(([weight, arbitrary]) => ({ weight, arbitrary })),
  );
}
const segment = fc.constantFrom(...oddSegments);

/** Operations that cost as much as a hundred others are drawn less often. */
const rarely = new Set('useLink signIn confirmSession changePassword docs metrics'.split(' '));

/** A wait would block on a running task. */
const unwaited: Readonly<Record<string, unknown>> = { wait: 0, until: 'change' };

export function anyRequest({ operations, resolve }: ApiDocument): fc.Arbitrary<FuzzRequest> {
  const requests = operations.map((operation) => {
    const { id, parameters, body } = operation;
    const values = parameters
      .filter(({ location }) => location !== 'path')
      .map(({ name, schema, required }) => {
        const value =
          name in unwaited
            ? fc.constant(unwaited[name])
            : valueFor(schema, { resolve, hints, name });
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
        caller: callerFor(operation),
        pick: fc.nat({ max: 1000 }),
        parameters: fc.record(Object.fromEntries(values)),
        body: body?.schema ? valueFor(body.schema, { resolve, hints }) : fc.constant(undefined),
        mutation: mutationFor(operation),
      }) as fc.Arbitrary<FuzzRequest>,
    };
  });
  return fc.oneof(...requests);
}

/** Renders the request and the expected response. */
export function renderRequest(
  request: FuzzRequest,
  { document, env }: { document: ApiDocument; env: FuzzEnvironment },
): {
  readonly operation: ApiOperation;
  readonly wireRequest: WireRequest;
  readonly expectation: ResponseExpectation;
} {
  const operation = document.operations.find(({ id }) => id === request.operation)!;
  const { mutation, caller } = request;
  const query = queryOf(operation, request, env);
  const body = bodyOf(operation, request, env);
  const header = headersOf(operation, request, env);
  const path = pathOf(operation, request, env);
  const wireRequest: WireRequest = {
    method: mutation.kind === 'method' ? mutation.method : operation.method,
    path: `${path}${query.text && `?${query.text}`}`,
    headers: header.headers,
    body: operation.method === 'GET' || mutation.kind === 'method' ? null : body.bytes,
    isChunked: mutation.kind === 'chunks' && body.bytes !== null,
  };
  const first = expectedAccess(operation, caller);
  const hasExpectation =
    mutation.kind !== 'path' && mutation.kind !== 'method' && mutation.kind !== 'header';
  // A caller without permission is rejected whatever else is wrong.
  if (first !== 'reached' && hasExpectation) {
    const what = `${caller} may not`;
    return { operation, wireRequest, expectation: { status: first, field: null, what } };
  }
  return {
    operation,
    wireRequest,
    expectation: query.fault ?? body.fault ?? header.fault ?? nothing,
  };
}

const nothing: ResponseExpectation = { status: null, field: null, what: 'in order' };

function pathOf(
  { path, method }: ApiOperation,
  { pick, mutation }: FuzzRequest,
  env: FuzzEnvironment,
): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const odd = mutation.kind === 'path' ? names[mutation.at % names.length] : undefined;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name !== odd || mutation.kind !== 'path')
      return env.pick(poolOf(path, { name, method }), pick);
    const isWritten = oddSegments.includes(mutation.text);
    return isWritten ? mutation.text : encodeURIComponent(mutation.text.toWellFormed());
  });
}

/** Operations that end or limit an account. */
const spareAccountPath =
  /^\/admin\/accounts\/{id}\/(close|erase|retention|suspend|limits|deductions|credits)$/;

/** The pool for a path parameter. Values that the operation deletes have pools of their own. */
function poolOf(path: string, { name, method }: { name: string; method: string }): string {
  if (path.startsWith('/guides')) return 'guide';
  if (path.startsWith('/uploads')) return 'upload';
  if (path.startsWith('/sessions')) return 'session';
  if (path.startsWith('/admin/people') || name === 'person') return 'sparePerson';
  if (path.startsWith('/admin/keys')) return 'spareKey';
  if (path.startsWith('/admin/redemption-codes')) return 'codeId';
  if (path.startsWith('/admin/deliveries')) return 'delivery';
  if (spareAccountPath.test(path) || method.toLowerCase() === 'patch') return 'spareAccount';
  if (name === 'invitation') return 'invitation';
  if (path.startsWith('/admin/accounts')) return 'account';
  if (method.toLowerCase() !== 'delete') return 'task';
  // Members are told that a task does not exist before their request is checked.
  return path.startsWith('/admin/') ? 'taskInProgress' : 'spareTask';
}

type Fault = { readonly fault: ResponseExpectation | null };

function queryOf(
  { id, parameters, responses }: ApiOperation,
  { parameters: given, mutation, pick, caller }: FuzzRequest,
  env: FuzzEnvironment,
): Fault & { readonly text: string } {
  const inQuery = parameters.filter(({ location }) => location === 'query');
  if (id === 'getUpload' && mutation.kind !== 'query') {
    return { text: env.pick('uploadQuery', pick), fault: null };
  }
  const pairs = inQuery
    // Objects have a parameter for each of their fields.
    .filter(({ name }) => given[name] !== undefined && typeof given[name] !== 'object')
    .map(({ name }) => [name, filled(String(given[name]), { env, pick })] as [string, string]);
  const text = () => pairs.map((pair) => pair.map(encoded).join('=')).join('&');
  if (mutation.kind !== 'query' || inQuery.length === 0) return { text: text(), fault: null };
  const { name, required, fault } = inQuery[mutation.at % inQuery.length]!;
  const value =
    name === 'wait' && /^[1-9]\d?$/.test(mutation.text) ? '0' : mutation.text.toWellFormed();
  const at = pairs.findIndex(([known]) => known === name);
  if (at >= 0) pairs.splice(at, 1);
  const edits = ['instead', 'instead', 'twice', 'left out'] as const;
  const edit = edits[(mutation.at >> 4) % edits.length]!;
  if (edit !== 'left out') pairs.push([name, value]);
  if (edit === 'twice') pairs.push([name, value]);
  const isForbidden =
    edit === 'left out'
      ? required
      : fault([value]) !== null && (edit === 'twice' || textFault(fault, value) !== null);
  // Signed URLs do not tell what is wrong.
  const status = responses.has(400) ? 400 : 404;
  const what = `${name} ${edit}: ${JSON.stringify(value)}`;
  const field = status === 400 ? name : null;
  return {
    text: text(),
    fault: isForbidden ? { status, field, what: `${caller}, ${what}` } : null,
  };
}

/** A parameter is text; an integer schema accepts digits, and a list one or several texts. */
function textFault(fault: ApiParameter['fault'], text: string): string | null {
  const asText = fault(text);
  return asText !== null && /^-?\d+$/.test(text) ? fault(Number(text)) : asText;
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

function filled(text: string, { env, pick }: { env: FuzzEnvironment; pick: number }): string {
  return text.replace(/@@(\w+)/g, (_, pool: string) => env.pick(pool, pick));
}

function bodyOf(
  { body, responses }: ApiOperation,
  { body: value, mutation, pick }: FuzzRequest,
  env: FuzzEnvironment,
): Fault & { readonly bytes: Buffer | null } {
  if (body === null) {
    // An operation without a body accepts an empty object.
    const isExtra = mutation.kind === 'chunks' && pick % 2 === 0;
    const what = 'a body where none is taken';
    const fault = isExtra && responses.has(400) ? { status: 400, field: null, what } : null;
    return {
      bytes: mutation.kind === 'chunks' ? Buffer.from(isExtra ? '{"a":1}' : '{}') : null,
      fault,
    };
  }
  if (body.schema === null) {
    const files = [image, Buffer.from('no image'), Buffer.alloc(0), image.subarray(0, 20)];
    return { bytes: mutation.kind === 'no body' ? null : files[pick % files.length]!, fault: null };
  }
  const { required, fault } = body;
  const right = filled(JSON.stringify(value), { env, pick });
  if (mutation.kind === 'no body') {
    const missing = { status: 400, field: 'body', what: 'no body' };
    return { bytes: null, fault: required ? missing : null };
  }
  if (mutation.kind === 'bytes') {
    const [what, bytes] = bodyMutations[mutation.at % bodyMutations.length]!;
    const sent = bytes(Buffer.from(right));
    const isOther = sent.toString() !== right;
    return { bytes: sent, fault: isOther ? { status: 400, field: null, what } : null };
  }
  if (mutation.kind !== 'body') return { bytes: Buffer.from(right), fault: null };
  const { value: other, field } = applyChange(value, mutation.change);
  const sent = filled(JSON.stringify(other) ?? '', { env, pick });
  const isForbidden = faultIn(sent, fault) !== null;
  const what = `${mutation.change.kind} at ${field ?? 'the whole'}`;
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
  operation: ApiOperation,
  { caller, mutation, parameters, pick }: FuzzRequest,
  env: FuzzEnvironment,
): Fault & { readonly headers: WireRequest['headers'] } {
  const isBytes = operation.body !== null && operation.body.schema === null;
  const type = isBytes ? ['image/png', 'application/octet-stream'][pick % 2]! : 'application/json';
  const key = parameters['Idempotency-Key'];
  const right: (readonly [string, string])[] = [
    ...env.headersOf(caller),
    ...(operation.method === 'GET' ? [] : [['content-type', type] as const]),
    ...(typeof key === 'string' ? [['idempotency-key', printable(key)] as const] : []),
  ];
  if (mutation.kind !== 'header') return { headers: right, fault: null };
  const { what, headers, expected } = headerMutations[mutation.at % headerMutations.length]!;
  const remaining = right.filter(([name]) => !(name in headers));
  const other = Object.entries(headers).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  // A caller without a token is a browser.
  const isPerson = env.tokens[caller] === undefined;
  const isReached = expectedAccess(operation, caller) === 'reached';
  const status = isReached ? (expected?.(operation, { isPerson }) ?? null) : null;
  return {
    headers: [...remaining, ...other],
    fault: { status, field: null, what: `${caller}, ${what}` },
  };
}

/** Headers are trimmed in transit and allow only Latin-1. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '~').trim() || 'key';
