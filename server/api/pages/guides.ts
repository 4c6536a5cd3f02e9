/**
 * The guides of `docs/guides`: as Markdown, as pages, and listed for programs in `/llms.txt`. What
 * they show carries the address of this installation in place of the default one.
 */
import { readFile } from 'node:fs/promises';
import { ApiError } from '../../api-error.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { type Guide, guidePage, guidesPage } from './guides-page.ts';

/** In the order a newcomer reads them. */
export const guideNames = [
  'quick-start',
  'modes',
  'webhooks',
  'errors',
  'test-mode',
  'ai-sdk',
  'going-to-production',
] as const;

const folder = new URL('../../../docs/guides/', import.meta.url);
/** What the files say; `npm start` serves there unless told otherwise. */
const defaultUrl = 'http://127.0.0.1:8787';

/** No scripts, nothing from elsewhere. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

export async function getGuides(
  { publicUrl }: ApiServices,
  _request: ApiRequest,
): Promise<ApiResponse> {
  return htmlResponse(guidesPage(await readGuides(publicUrl())));
}

/** `/guides/webhooks` is a page, `/guides/webhooks.md` the text it is made of. */
export async function getGuide(
  { publicUrl }: ApiServices,
  { params }: ApiRequest,
): Promise<ApiResponse> {
  const requestedName = params.name!;
  const name = guideNames.find((one) => one === requestedName.replace(/\.md$/, ''));
  if (!name)
    throw new ApiError('not_found', 'There is no such guide: see /guides for those there are.');
  const guides = await readGuides(publicUrl());
  const guide = guides.find((one) => one.name === name)!;
  return requestedName.endsWith('.md')
    ? textResponse(guide.markdown, 'text/markdown')
    : htmlResponse(guidePage(guide, guides));
}

/** As llmstxt.org has it: a title, a summary, and lists of links with a word about each. */
export async function getLlmsText(
  { publicUrl }: ApiServices,
  _request: ApiRequest,
): Promise<ApiResponse> {
  const base = publicUrl();
  const guides = await readGuides(base);
  const listed = guides.map(
    ({ name, title, summary }) => `- [${title}](${base}/guides/${name}.md): ${summary}`,
  );
  const lines = [
    '# vidgen',
    '',
    '> A video generation service: create a task from a prompt, images, videos or audio; follow it',
    '> by polling or by a signed webhook; pay in credits that come back when a task fails.',
    '',
    `The interface is served at ${base}. Every request under /v1 carries`,
    '`Authorization: Bearer <API_KEY>`; bodies and answers are JSON. Create with',
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
  return textResponse(lines.join('\n'), 'text/plain');
}

export async function readGuides(publicUrl: string): Promise<Guide[]> {
  return await Promise.all(
    guideNames.map(async (name) => {
      const source = await readFile(new URL(`${name}.md`, folder), 'utf8');
      const markdown = source.replaceAll(defaultUrl, publicUrl);
      const [, title, summary] = /^# (.+)\n\n((?:.+\n)+)/.exec(markdown)!;
      return { name, title: title!, summary: summary!.trim().replaceAll('\n', ' '), markdown };
    }),
  );
}

const htmlResponse = (html: string): ApiResponse => ({
  text: html,
  headers: { ...headersOf('text/html'), 'content-security-policy': policy },
});

const textResponse = (content: string, contentType: string): ApiResponse => ({
  text: content,
  headers: headersOf(contentType),
});

const headersOf = (contentType: string) => ({
  'content-type': `${contentType}; charset=utf-8`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
});
