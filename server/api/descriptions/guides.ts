/** What helps to begin: the guides, as pages and as Markdown, their list; programs that ask us. */
import { z } from 'zod';
import { errorExample, errorResponses } from './errors.ts';
import type { RouteDescription } from './route-description.ts';

export const guides: RouteDescription = {
  operationId: 'guides',
  method: 'GET',
  path: '/guides',
  summary: 'The guides',
  tag: 'Service',
  auth: 'none',
  responses: {
    200: { description: 'A page that lists them.', schema: z.string(), contentType: 'text/html' },
  },
};

export const guide: RouteDescription = {
  operationId: 'guide',
  method: 'GET',
  path: '/guides/:name',
  summary: 'One guide',
  description: 'With `.md` after its name it is Markdown.',
  tag: 'Service',
  auth: 'none',
  params: z.object({ name: z.string().describe('Such as `quick-start` or `webhooks.md`.') }),
  responses: {
    200: { description: 'The guide.', schema: z.string(), contentType: 'text/html' },
    ...errorResponses(['not_found'], {
      not_found: errorExample(
        'not_found',
        'There is no such guide: see /guides for those there are.',
      ),
    }),
  },
};

export const llmsText: RouteDescription = {
  operationId: 'llmsText',
  method: 'GET',
  path: '/llms.txt',
  summary: 'Where a language model finds what',
  description: 'As llmstxt.org describes it: links to every guide and to the OpenAPI document.',
  tag: 'Service',
  auth: 'none',
  responses: {
    200: { description: 'Links.', schema: z.string(), contentType: 'text/plain' },
  },
};

export const commandLine: RouteDescription = {
  operationId: 'commandLine',
  method: 'GET',
  path: '/vidgen.mjs',
  summary: 'The command line',
  description:
    'One file for Node 18.3 or newer that asks this service: ' +
    '`node vidgen.mjs create --prompt "…" --wait -o video.mp4`, with the key in `VIDGEN_KEY`.',
  tag: 'Service',
  auth: 'none',
  responses: {
    200: { description: 'A program.', schema: z.string(), contentType: 'text/javascript' },
  },
};

export const aiSdkProvider: RouteDescription = {
  operationId: 'aiSdkProvider',
  method: 'GET',
  path: '/vidgen-ai-sdk.mjs',
  summary: 'The provider for the AI SDK',
  description:
    'One file for the package `ai`, version 7, that asks this service: ' +
    "`generateVideo({ model: vidgen.video('vidgen-2-5'), prompt })`, with the key in `VIDGEN_KEY`.",
  tag: 'Service',
  auth: 'none',
  responses: {
    200: { description: 'A module.', schema: z.string(), contentType: 'text/javascript' },
  },
};
