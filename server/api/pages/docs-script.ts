/**
 * Serves the script of the reference page: 4.4 MB, so gzip where the client accepts it. All
 * responses share the same bytes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
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

/** Scalar's own file for browsers, unchanged; `site/scalar-notices.txt` says what it contains. */
async function loadScripts(): Promise<Scripts> {
  const compressed = await readFile(join(import.meta.dirname, 'site/scalar.js.gz'));
  return { identity: await promisify(gunzip)(compressed), gzip: compressed };
}
