/** The API reference at /docs, its script and its document. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import { version } from '../../config/version.ts';
import { endpoint } from '../http/endpoint.ts';
import type { Endpoint } from '../http/endpoint-definition.ts';
import { openApiDocument } from '../http/openapi.ts';
import { siteHeaders, siteLinks, sitePage } from './site-page.ts';

const headerEnd = `<div class="segments" role="navigation" aria-label="Endpoints">
<a href="docs" aria-current="page">API</a><a href="docs?admin" data-admin>Admin API</a></div>`;

const body = `<noscript>
This page requires JavaScript; the document itself is <a href="openapi.json">openapi.json</a>.
</noscript>
<div id="sites" class="popover sites-popover" popover>
${siteLinks({ section: 'reference', rootPath: '' })}</div>
<div id="reference"><p class="loading" role="status">Loading the reference…</p></div>
`;

/**
 * The reference page: Scalar shows the OpenAPI document in the frame of the guides. It opens on the
 * endpoints for customers; a switch shows those for administrators.
 */
export const docsPage = endpoint({
  operationId: 'docs',
  method: 'GET',
  path: '/docs',
  summary: 'Open the API reference',
  auth: 'none',
  responses: {
    200: {
      description: 'A page made of this document.',
      schema: z.string(),
      contentType: 'text/html',
    },
  },
  handler: async ({ publicUrl }) => ({
    text: await sitePage({
      title: 'API reference',
      section: 'reference',
      rootPath: '',
      styles: ['reference.css'],
      scripts: ['docs/scalar.js'],
      headerEnd,
      body,
    }),
    headers: siteHeaders({ connectOrigin: new URL(publicUrl()).origin, inlineStyles: true }),
  }),
});

/**
 * Serves the script of the reference page: 4.4 MB, so gzip where the client accepts it. All
 * responses share the same bytes.
 */
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

/** Cuts the bytes, so that a slow client holds little of them in its socket. */
function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes);
}

/** Scalar's own file for browsers, unchanged; `site/scalar-notices.txt` says what it contains. */
async function loadScripts(): Promise<Scripts> {
  const compressed = await readFile(join(import.meta.dirname, 'site/scalar.js.gz'));
  return { identity: await promisify(gunzip)(compressed), gzip: compressed };
}

export function getOpenApi(routes: () => readonly Endpoint[]): Endpoint {
  // Built once: it takes about 50 ms, everyone may call, and it does not change while running.
  let text: string | undefined;
  return endpoint({
    operationId: 'openApi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get this document',
    auth: 'none',
    responses: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({}) } },
    async handler({ publicUrl }) {
      const options = { routes: routes(), publicUrl: publicUrl(), version };
      text ??= JSON.stringify(openApiDocument(options));
      return { text, headers: { 'content-type': 'application/json; charset=utf-8' } };
    },
  });
}

export const docsEndpoints = [docsPage, docsScript];
