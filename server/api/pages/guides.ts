/**
 * Reads the guides of `docs/guides`, and replaces the default URL in them with the public URL of
 * this installation.
 */
import { readFile } from 'node:fs/promises';
import type { ApiResponse } from '../http/handler.ts';
import type { Guide } from './guides-page.ts';

/** In reading order. */
const guideNames = [
  'quick-start',
  'modes',
  'webhooks',
  'errors',
  'test-mode',
  'ai-sdk',
  'openai',
  'openrouter',
  'modelark',
  'mcp',
  'going-to-production',
] as const;

const folder = new URL('../../../docs/guides/', import.meta.url);
/** In the files: where `npm start` serves by default. */
const defaultUrl = 'http://127.0.0.1:8787';

/** No scripts, and nothing from other hosts. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

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

/** Loads the renderer of Markdown with it. */
export const loadGuidesPage = () => import('./guides-page.ts');

export const htmlResponse = (html: string): ApiResponse => ({
  text: html,
  headers: { ...headersOf('text/html'), 'content-security-policy': policy },
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
