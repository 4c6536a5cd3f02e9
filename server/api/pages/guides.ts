/** The guides as pages and Markdown, and llms.txt. */
import { readFile } from 'node:fs/promises';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import type { ApiResponse } from '../http/handler.ts';
import type { Guide } from './guides-page.ts';
import { siteHeaders } from './site-page.ts';

/** Guides have this reading order, and are listed under these headings. */
const guideGroups = {
  'Get started': ['quick-start', 'modes', 'webhooks', 'errors', 'test-mode'],
  Clients: ['ai-sdk', 'openai', 'openrouter', 'replicate', 'modelark', 'mcp'],
  Operations: ['going-to-production', 'marking'],
} as const;
const guideNames = Object.entries(guideGroups).flatMap(([group, names]) =>
  names.map((name) => ({ group, name })),
);

const folder = new URL('../../../docs/guides/', import.meta.url);
/** In the files: where `npm start` serves by default. */
const defaultUrl = 'http://127.0.0.1:8787';

/**
 * Reads the guides of `docs/guides`, and replaces the default URL in them with the public URL of
 * this installation.
 */
export async function readGuides(publicUrl: string): Promise<Guide[]> {
  return await Promise.all(
    guideNames.map(async ({ group, name }) => {
      const source = await readFile(new URL(`${name}.md`, folder), 'utf8');
      const markdown = source.replaceAll(defaultUrl, publicUrl);
      const [, title, summary] = /^# (.+)\n\n((?:.+\n)+)/.exec(markdown)!;
      const line = summary!.trim().replaceAll('\n', ' ');
      return { name, group, title: title!, summary: line, markdown };
    }),
  );
}

/** Loads the renderer of Markdown with it. */
const loadGuidesPage = () => import('./guides-page.ts');

const htmlResponse = (html: string): ApiResponse => ({
  text: html,
  headers: siteHeaders(),
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
  async handler({ publicUrl }) {
    const { guidesPage } = await loadGuidesPage();
    return htmlResponse(await guidesPage(await readGuides(publicUrl())));
  },
});

const getGuide = endpoint({
  operationId: 'guide',
  method: 'GET',
  path: '/guides/:name',
  summary: 'Get a guide',
  description: 'With `.md` after its name it is Markdown.',
  auth: 'none',
  allowsHead: true,
  params: z.object({ name: z.string().describe('Such as `quick-start` or `webhooks.md`.') }),
  responses: {
    200: { description: 'The guide.', schema: z.string(), contentType: 'text/html' },
  },
  errors: { not_found: 'Guide not found; see /guides for the list.' },
  async handler({ publicUrl }, { params }) {
    const requestedName = params.name!;
    const guides = await readGuides(publicUrl());
    const guide = guides.find(({ name }) => name === requestedName.replace(/\.md$/, ''));
    if (!guide) throw new ApiError('not_found', 'Guide not found; see /guides for the list.');
    if (requestedName.endsWith('.md')) return textResponse(guide.markdown, 'text/markdown');
    const { guidePage } = await loadGuidesPage();
    return htmlResponse(await guidePage(guide, guides));
  },
});

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
    ({ name, title, summary }) => `- [${title}](${base}/guides/${name}.md): ${summary}`,
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

export const guideEndpoints = [listGuides, getGuide, llmsText];
