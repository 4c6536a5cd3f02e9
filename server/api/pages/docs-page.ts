/**
 * The reference page: the OpenAPI document, shown by Scalar's own script served from here. The page
 * asks no other host for anything, and its policy forbids it to.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { fastify } from 'fastify';
import type { ApiResponse } from '../http/handler.ts';

/** Everything that would make Scalar ask its makers for something is off. */
const configuration = {
  // Relative to the page, so that a path before ours (`https://host/vidgen/docs`) does no harm.
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // In the order of the contract's tables; our models are not what Scalar calls models.
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  modelsSectionLabel: 'Schemas',
  authentication: { preferredSecurityScheme: 'apiKey' },
  metaData: { title: 'Video Generation Service' },
};

const startScript = `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)});`;

const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Video Generation Service</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <noscript>
      This page needs JavaScript; the document itself is <a href="openapi.json">here</a>.
    </noscript>
    <div id="reference"></div>
    <script src="docs/scalar.js"></script>
    <script>${startScript}</script>
  </body>
</html>
`;

const startScriptDigest = createHash('sha256').update(startScript).digest('base64');

/**
 * Styles are inline because Scalar sets them so. Requests tried out on the page go to the address
 * in the document, which may be another than the one the page was opened at.
 */
const policyOf = (publicUrl: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${startScriptDigest}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

export const docsPage = ({ publicUrl }: { readonly publicUrl: string }): ApiResponse => ({
  text: html,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyOf(publicUrl),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  },
});

/** `GET /docs/scalar.js`: 4.4 MB, so compressed for whoever takes it so: every browser. */
export async function docsScript({
  acceptEncoding,
}: {
  readonly acceptEncoding: string | undefined;
}): Promise<ApiResponse> {
  compressed ??= loadCompressedScript();
  const body = await compressed;
  const isGzip = /\bgzip\b/.test(acceptEncoding ?? '');
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=86400',
  };
  return { stream: Readable.from([isGzip ? body : await promisify(gunzip)(body)]), headers };
}

/** Made when the page is first opened; most processes never serve it. */
let compressed: Promise<Buffer> | undefined;

/**
 * The package holds the script inside its Fastify plugin and hands it out only over HTTP. The
 * plugin is asked on a server of its own that never listens, so that its other routes are not
 * ours.
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
