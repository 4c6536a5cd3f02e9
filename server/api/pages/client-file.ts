/**
 * Serves a program of `cli/` or `ai-sdk/` with the URL of this installation as its default, so that
 * a downloaded copy calls the service it came from.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiResponse, ApiServices } from '../http/handler.ts';

const root = join(import.meta.dirname, '../../..');
/** A literal in both files: where `npm start` serves by default. */
const defaultUrl = "'http://127.0.0.1:8787'";

export async function clientFile({ publicUrl }: ApiServices, file: string): Promise<ApiResponse> {
  const source = await readFile(join(root, file), 'utf8');
  return {
    text: source.replace(defaultUrl, () => JSON.stringify(publicUrl())),
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    },
  };
}
