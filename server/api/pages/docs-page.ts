/**
 * The reference page: Scalar shows the OpenAPI document. Everything is served from here, and the
 * content security policy forbids requests to other hosts.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';

/** Turns off everything that makes Scalar send requests to its own servers. */
const configuration = {
  // Relative, so that it works below a path prefix (`https://host/vidgen/docs`).
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // Keeps the order of the contract. "Models" are video models here, not schemas.
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
 * Scalar sets inline styles. Requests that are tried out on the page go to the public URL, which
 * may differ from the URL of the page.
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

export const docsPage = endpoint({
  operationId: 'docs',
  method: 'GET',
  path: '/docs',
  summary: 'The reference page',
  auth: 'none',
  responses: {
    200: {
      description: 'A page made of this document.',
      schema: z.string(),
      contentType: 'text/html',
    },
  },
  handler: async ({ publicUrl }) => ({
    text: html,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyOf(publicUrl()),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    },
  }),
});
