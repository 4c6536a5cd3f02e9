/**
 * Reads the guides of `docs/guides`, and replaces the default URL in them with the public URL of
 * this installation.
 */
import { readFile } from 'node:fs/promises';
import type { ApiResponse } from '../http/handler.ts';
import type { Guide } from './guides-page.ts';
import { siteHeaders } from './site-page.ts';

/** In reading order, by the headings that they are listed under. */
const guideGroups = {
  'Get started': ['quick-start', 'modes', 'webhooks', 'errors', 'test-mode'],
  Clients: ['ai-sdk', 'openai', 'openrouter', 'modelark', 'mcp'],
  Operations: ['going-to-production'],
} as const;
const guideNames = Object.entries(guideGroups).flatMap(([group, names]) =>
  names.map((name) => ({ group, name })),
);

const folder = new URL('../../../docs/guides/', import.meta.url);
/** In the files: where `npm start` serves by default. */
const defaultUrl = 'http://127.0.0.1:8787';

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
export const loadGuidesPage = () => import('./guides-page.ts');

export const htmlResponse = (html: string): ApiResponse => ({
  text: html,
  headers: siteHeaders(),
});

export const textResponse = (content: string, contentType: string): ApiResponse => ({
  text: content,
  headers: headersOf(contentType),
});

const headersOf = (contentType: string) => ({
  'content-type': `${contentType}; charset=utf-8`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
});
