/**
 * Sends requests that the document does not describe: pages, provider callbacks, unknown paths, any
 * method on any path, bodies of any bytes. No response is a 5xx, and every error has its envelope.
 */
import fc from 'fast-check';
import type { ApiDocument } from './document.ts';
import { callers } from './environment.ts';
import { undescribedFault } from './response-fault.ts';
import { type FuzzOptions, inBatches } from './schema-fuzz.ts';
import { describeRequest, type WireRequest } from './send.ts';
import { anyCharacter } from './values.ts';

const unlisted = [
  ...['/', '/dashboard', '/dashboard/tasks', '/dashboard/assets/{x}', '/docs/scalar.js'],
  ...['/callbacks/{x}', '/callbacks/{x}/{x}', '/stripe/events', '/{x}', '/v1/{x}', '/admin/{x}'],
  ...['/v1//tasks', '/V1/tasks', '/v1/tasks/'],
];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];
const segments = 'x modelark ark % %zz %c0%af a%2Fb .. %2e%2e ~ %00'.split(' ');
const queries = ['', '?', '?%', '?&&&', '?=', '?a=%ff', '??', '?limit=1&limit=2', '?__proto__=x'];
const types = ['application/json', 'text/plain', ';', 'application/octet-stream', ''];

function anyUnguided({ operations }: ApiDocument) {
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
  const property = fc.asyncProperty(anyUnguided(document), async (drawn) => {
    const { method, path, segment, query, type, caller, body } = drawn;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const wireRequest: WireRequest = {
      method,
      path: `${path.replaceAll('{x}', () => segment)}${query}`,
      headers: [...env.headersOf(caller), ['content-type', type]],
      body: hasBody ? Buffer.from(body as string) : null,
    };
    const fault = undescribedFault(await sender.send(wireRequest), { wireRequest, document });
    if (fault !== null) throw new Error(`${fault}\n  ${describeRequest(wireRequest)}`);
  });
  await inBatches(options, property);
}
