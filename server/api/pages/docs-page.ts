/**
 * The reference page: Scalar shows the OpenAPI document in the frame of the guides. It opens on the
 * endpoints for customers; a switch shows those for administrators.
 */
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
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
