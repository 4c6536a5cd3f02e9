/** Serves the script of the reference page: 4.4 MB, so gzip where the client accepts it. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { fastify } from 'fastify';
import { endpoint } from '../http/endpoint.ts';

export const docsScript = endpoint({
  operationId: 'docsScript',
  method: 'GET',
  path: '/docs/scalar.js',
  summary: 'The script of the reference page',
  auth: 'none',
  hidden: true,
  responses: { 200: { description: 'JavaScript.', contentType: 'text/javascript' } },
  async handler(_services, request) {
    compressed ??= loadCompressedScript();
    const body = await compressed;
    const isGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const headers = {
      'content-type': 'text/javascript; charset=utf-8',
      ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=86400',
    };
    return { stream: Readable.from([isGzip ? body : await promisify(gunzip)(body)]), headers };
  },
});

/** Loaded when the page is first opened: most processes never serve it. */
let compressed: Promise<Buffer> | undefined;

/**
 * The package serves the script only through its Fastify plugin. The plugin runs on a separate
 * server that never listens, so that its other routes are not exposed.
 */
async function loadCompressedScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const server = fastify();
  await server.register(scalar, { routePrefix: '/docs', configuration: { url: 'openapi.json' } });
  const { statusCode, rawPayload } = await server.inject('/docs/js/scalar.js');
  await server.close();
  assert.equal(statusCode, 200, 'the script of the reference page is missing');
  return await promisify(gzip)(rawPayload);
}
