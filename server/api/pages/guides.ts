/** The guides as pages and Markdown, and llms.txt. */
import { readFile } from 'node:fs/promises';
import { notFound } from '@vidgen/contract/api-error.ts';
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import type { ApiResponse } from '../http/handler.ts';
import type { Guide } from './guides-page.ts';
import { siteHeaders } from './site-page.ts';

/** Pages have this reading order, and are listed under these headings. */
const groups = {
  'Get started': [
    'guides/quick-start',
    'guides/modes',
    'guides/webhooks',
    'guides/errors',
    'guides/test-mode',
  ],
  Clients: [
    'docs/cli',
    'guides/ai-sdk',
    'guides/openai',
    'guides/openrouter',
    'guides/replicate',
    'guides/modelark',
    'guides/mcp',
  ],
  Operations: [
    'guides/going-to-production',
    'guides/marking',
    'docs/deploying',
    'docs/operating',
    'docs/settings',
    'docs/storage',
    'docs/backup',
    'docs/upgrading',
    'docs/sign-in',
    'docs/notices',
    'docs/retention',
    'docs/observability',
    'docs/admin-api',
  ],
  'Models and providers': [
    'docs/providers',
    'docs/models',
    'docs/self-hosting-models',
    'docs/gpu-boxes',
    'docs/margin',
  ],
} as const;
const pages = Object.entries(groups).flatMap(([group, paths]) =>
  paths.map((path) => ({ group, path })),
);

const folder = new URL('../../../docs/', import.meta.url);
/** In the guides: where `npm start` serves by default. */
const defaultUrl = 'http://127.0.0.1:8787';

/**
 * Reads the pages of `docs/`. In guides for integrators, the public URL of this installation
 * replaces the default one; the operator's pages are about the machine itself.
 */
export async function readGuides(publicUrl: string): Promise<Guide[]> {
  return await Promise.all(
    pages.map(async ({ group, path }) => {
      const source = await readFile(new URL(`${path.replace('docs/', '')}.md`, folder), 'utf8');
      const isForOperators = path.startsWith('docs/') && path !== 'docs/cli';
      const markdown = isForOperators ? source : source.replaceAll(defaultUrl, publicUrl);
      const [, title] = /^# (.+)/.exec(markdown)!;
      const paragraphs = markdown.split('\n\n');
      const summary = paragraphs.find((part) => /^[\p{L}`*]/u.test(part))!.replaceAll('\n', ' ');
      return { path, group, title: title!, summary, markdown };
    }),
  );
}

/** Loads the renderer of Markdown with it. */
const loadGuidesPage = () => import('./guides-page.ts');

const htmlResponse = (html: string): ApiResponse => ({
  text: html,
  headers: siteHeaders({ hasForm: true }),
});

const textResponse = (content: string, contentType: string): ApiResponse => ({
  text: content,
  headers: { 'content-type': `${contentType}; charset=utf-8`, 'cache-control': 'no-cache' },
});

const listGuides = endpoint({
  operationId: 'guides',
  method: 'GET',
  path: '/guides',
  summary: 'List guides',
  auth: 'none',
  allowsHead: true,
  responses: {
    200: { description: 'A page that lists them.', schema: z.string(), contentType: 'text/html' },
  },
  query: z.object({ q: z.string().max(100).optional().describe('Lists what has these words.') }),
  errors: { invalid_request: 'q must be at most 100 characters (got 101)' },
  async handler({ publicUrl }, { query: { q = '' } }) {
    const { guidesPage } = await loadGuidesPage();
    return htmlResponse(await guidesPage(await readGuides(publicUrl()), q));
  },
});

const getGuide = guideEndpoint({
  operationId: 'guide',
  path: '/guides/:name',
  summary: 'Get a guide',
  folder: 'guides',
});
const getOperatorPage = guideEndpoint({
  operationId: 'operatorPage',
  path: '/docs/:name',
  folder: 'docs',
  summary: 'Get a page of the operator’s documentation',
});

function guideEndpoint(page: {
  readonly operationId: string;
  readonly path: string;
  readonly summary: string;
  readonly folder: 'guides' | 'docs';
}) {
  const { folder, ...definition } = page;
  return endpoint({
    ...definition,
    method: 'GET',
    description: 'With `.md` after its name it is Markdown.',
    auth: 'none',
    allowsHead: true,
    params: z.object({ name: z.string().describe('Such as `quick-start` or `webhooks.md`.') }),
    responses: {
      200: { description: 'The page.', schema: z.string(), contentType: 'text/html' },
    },
    errors: { not_found: 'Guide not found; see /guides for the list.' },
    async handler({ publicUrl }, { params }) {
      const requestedName = params.name!;
      const guides = await readGuides(publicUrl());
      const wanted = `${folder}/${requestedName.replace(/\.md$/, '')}`;
      const guide = guides.find(({ path }) => path === wanted);
      if (!guide) throw notFound('Guide not found; see /guides for the list.');
      if (requestedName.endsWith('.md')) return textResponse(guide.markdown, 'text/markdown');
      const { guidePage } = await loadGuidesPage();
      return htmlResponse(await guidePage(guide, guides));
    },
  });
}

const llmsText = endpoint({
  operationId: 'llmsText',
  method: 'GET',
  path: '/llms.txt',
  summary: 'Get llms.txt',
  description: 'As llmstxt.org describes it: links to every guide and to the OpenAPI document.',
  auth: 'none',
  allowsHead: true,
  responses: { 200: { description: 'Links.', schema: z.string(), contentType: 'text/plain' } },
  async handler({ publicUrl }) {
    const base = publicUrl();
    const guides = await readGuides(base);
    return textResponse(linesOf(base, guides).join('\n'), 'text/plain');
  },
});

function linesOf(base: string, guides: readonly Guide[]): string[] {
  const listed = guides.map(
    ({ path, title, summary }) => `- [${title}](${base}/${path}.md): ${summary}`,
  );
  return [
    '# vidgen',
    '',
    '> A video generation service: create a task from a prompt, images, videos or audio; follow it',
    '> by polling or by a signed webhook; pay in credits that come back when a task fails.',
    '',
    `The interface is served at ${base}. Every request under /v1 carries`,
    '`Authorization: Bearer <API_KEY>`; bodies and responses are JSON. Create with',
    `POST ${base}/v1/videos/generations, follow with GET ${base}/v1/tasks/:id.`,
    'Keys that begin with `vg_test_` cost nothing.',
    '',
    '## Guides',
    '',
    ...listed,
    '',
    '## Reference',
    '',
    `- [OpenAPI document](${base}/openapi.json): every endpoint, field, rule and error`,
    '',
    '## Programs',
    '',
    `- [Command line](${base}/vidgen.mjs): one file for Node, \`curl -O ${base}/vidgen.mjs\``,
    `- [Provider for the AI SDK](${base}/vidgen-ai-sdk.mjs): one file for the package \`ai\` 7`,
    '',
    '## Optional',
    '',
    `- [Reference page](${base}/docs): the same document, for people`,
    '',
  ];
}

export const guideEndpoints = [listGuides, getGuide, getOperatorPage, llmsText];
