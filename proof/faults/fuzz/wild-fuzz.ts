/**
 * Requests that no document describes: pages, calls of providers, made-up paths, any method on any
 * path, bodies of any bytes. What comes of them is not said; that it is no 5xx, and in the
 * contract's shape where it is an error, is.
 */
import fc from 'fast-check';
import type { ApiDocument } from './document.ts';
import { type FuzzOrder, inBatches } from './schema-fuzz.ts';
import { curlOf, type Wire, type WireAnswer } from './send.ts';
import { anyCharacter } from './values.ts';
import { type AskerName, askers } from './world.ts';

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

type Wild = {
  readonly method: string;
  readonly path: string;
  readonly segment: string;
  readonly query: string;
  readonly type: string;
  readonly asker: AskerName;
  readonly body: string | Uint8Array;
};

function anyWild({ operations }: ApiDocument): fc.Arbitrary<Wild> {
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
    asker: fc.constantFrom(...askers.slice(0, 3)),
    body: fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 40 }),
      fc.uint8Array({ maxLength: 60 }),
      fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
    ),
  });
}

export async function fuzzWildly(order: FuzzOrder): Promise<void> {
  const { document, sender, world } = order;
  const ask = async ({ method, path, segment, query, type, asker, body }: Wild) => {
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const wire: Wire = {
      method,
      path: `${path.replaceAll('{x}', () => segment)}${query}`,
      headers: [...world.headersOf(asker), ['content-type', type]],
      body: hasBody ? Buffer.from(body as string) : null,
    };
    const fault = faultIn(await sender.send(wire), { wire, document });
    if (fault !== null) throw new Error(`${fault}\n  ${curlOf(sender.url, wire)}`);
  };
  const any = anyWild(document);
  await inBatches(order, async ({ runs, seed }) =>
    fc.check(fc.asyncProperty(any, ask), { seed, numRuns: runs }),
  );
}

function faultIn(
  { status, headers, body }: WireAnswer,
  { wire, document }: { wire: Wire; document: ApiDocument },
): string | null {
  const told = `${status} ${body.toString().slice(0, 300)}`;
  if (status >= 500) return `a server error: ${told}`;
  if (!/^req_[\w-]{16}$/.test(String(headers['x-request-id']))) return `no x-request-id: ${told}`;
  if (status < 400 || status === 416 || wire.method === 'HEAD') return null;
  if (!/^application\/json/.test(headers['content-type'] ?? '')) return `not JSON: ${told}`;
  const off = document.errorFault(JSON.parse(body.toString()));
  return off === null ? null : `off the schema, ${off}: ${told}`;
}
