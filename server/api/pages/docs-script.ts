/**
 * Serves the script of the reference page: 4.4 MB, so gzip where the client accepts it. All
 * responses share the same bytes.
 */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { endpoint } from '../http/endpoint.ts';

export const docsScript = endpoint({
  operationId: 'docsScript',
  method: 'GET',
  path: '/docs/scalar.js',
  summary: 'Get the script of the API reference',
  auth: 'none',
  hidden: true,
  responses: { 200: { description: 'JavaScript.', contentType: 'text/javascript' } },
  async handler(_services, request) {
    scripts ??= loadScripts();
    const isGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const bytes = (await scripts)[isGzip ? 'gzip' : 'identity'];
    const headers = {
      'content-type': 'text/javascript; charset=utf-8',
      ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=86400',
      'content-length': String(bytes.length),
    };
    return { stream: Readable.from(slicesOf(bytes)), headers };
  },
});

/** Loaded when the page is first opened: most processes never serve it. */
let scripts: Promise<Scripts> | undefined;

type Scripts = { readonly identity: Buffer; readonly gzip: Buffer };

const sliceBytes = 64 * 1024;

/** In slices, so that a slow client holds little of it in its socket. */
function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes);
}

type PluginRoute = {
  readonly url: string;
  readonly handler: (request: null, reply: { header(): { send(text: string): string } }) => string;
};
type Plugin = (
  server: { route(route: PluginRoute): void },
  options: object,
  done: () => void,
) => void;

/**
 * The package has the script only inside its Fastify plugin, which registers a route for it. The
 * plugin runs without Fastify, and its other routes are not exposed.
 */
async function loadScripts(): Promise<Scripts> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const routes: PluginRoute[] = [];
  const options = { routePrefix: '/docs', configuration: { url: 'openapi.json' } };
  (plugin as unknown as Plugin)({ route: (one) => void routes.push(one) }, options, () => {});
  const route = routes.find(({ url }) => url === '/docs/js/scalar.js');
  const script = route?.handler(null, { header: () => ({ send: (text) => text }) });
  assert.ok(script, 'the script of the reference page is missing');
  const identity = Buffer.from(script);
  return { identity, gzip: await promisify(gzip)(identity) };
}
