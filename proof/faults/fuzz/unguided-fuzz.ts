/**
 * Requests that no document describes: pages, calls of providers, made-up paths, any method on any
 * path, bodies of any bytes. What comes of them is not said; that it is no 5xx, and in the
 * contract's shape where it is an error, is.
 */
import fc from 'fast-check';
import type { ApiDocument } from './document.ts';
import { type CallerName, callers } from './environment.ts';
import { type FuzzOptions, inBatches } from './schema-fuzz.ts';
import { curlOf, type WireRequest, type WireResponse } from './send.ts';
import { anyCharacter } from './values.ts';

const unlisted = [
  '/',
  '/dashboard',
  '/dashboard/tasks',
  '/dashboard/assets/{x}',
  '/docs/scalar.js',
  '/callbacks/{x}',
  '/callbacks/{x}/{x}',
  '/stripe/events',
  '/{x}',
  '/v1/{x}',
  '/admin/{x}',
  '/v1//tasks',
  '/V1/tasks',
  '/v1/tasks/',
];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];
const segments = [
  'x',
  'modelark',
  'double',
  '%',
  '%zz',
  '%c0%af',
  'a%2Fb',
  '..',
  '%2e%2e',
  '~',
  '%00',
];
const queries = ['', '?', '?%', '?&&&', '?=', '?a=%ff', '??', '?limit=1&limit=2', '?__proto__=x'];
const types = ['application/json', 'text/plain', ';', 'application/octet-stream', ''];

type UnguidedRequest = {
  readonly method: string;
  readonly path: string;
  readonly segment: string;
  readonly query: string;
  readonly type: string;
  readonly caller: CallerName;
  readonly body: string | Uint8Array;
};

function anyUnguided({ operations }: ApiDocument): fc.Arbitrary<UnguidedRequest> {
  const listed = operations.map(({ path }) => path.replace(/\{\w+\}/g, '{x}'));
  return fc.record({
    method: fc.constantFrom(...methods),
    path: fc.oneof(fc.constantFrom(...unlisted), fc.constantFrom(...listed)),
    segment: fc.oneof(
      fc.constantFrom(...segments),
      fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => encodeURIComponent(text)),
    ),
    query: fc.constantFrom(...queries),
    type: fc.constantFrom(...types),
    caller: fc.constantFrom(...callers.slice(0, 3)),
    body: fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 40 }),
      fc.uint8Array({ maxLength: 60 }),
      fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
    ),
  });
}

export async function fuzzUnguided(options: FuzzOptions): Promise<void> {
  const { document, sender, env } = options;
  const checkRequest = async ({
    method,
    path,
    segment,
    query,
    type,
    caller,
    body,
  }: UnguidedRequest) => {
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const wireRequest: WireRequest = {
      method,
      path: `${path.replaceAll('{x}', () => segment)}${query}`,
      headers: [...env.headersOf(caller), ['content-type', type]],
      body: hasBody ? Buffer.from(body as string) : null,
    };
    const fault = faultIn(await sender.send(wireRequest), { wireRequest, document });
    if (fault !== null) throw new Error(`${fault}\n  ${curlOf(sender.url, wireRequest)}`);
  };
  const any = anyUnguided(document);
  await inBatches(options, async ({ runs, seed }) =>
    fc.check(fc.asyncProperty(any, checkRequest), { seed, numRuns: runs }),
  );
}

function faultIn(
  { status, headers, body }: WireResponse,
  { wireRequest, document }: { wireRequest: WireRequest; document: ApiDocument },
): string | null {
  const excerpt = `${status} ${body.toString().slice(0, 300)}`;
  if (status >= 500) return `a server error: ${excerpt}`;
  if (!/^req_[\w-]{16}$/.test(String(headers['x-request-id'])))
    return `no x-request-id: ${excerpt}`;
  if (status < 400 || status === 416 || wireRequest.method === 'HEAD') return null;
  if (!/^application\/json/.test(headers['content-type'] ?? '')) return `not JSON: ${excerpt}`;
  const off = document.errorFault(JSON.parse(body.toString()));
  return off === null ? null : `off the schema, ${off}: ${excerpt}`;
}
