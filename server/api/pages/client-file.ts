/**
 * Serves a program of `cli/` or `ai-sdk/` with the URL of this installation as its default, so that
 * a downloaded copy calls the service it came from.
 */
import { join } from 'node:path';
import type { ApiResponse, ApiServices } from '../http/handler.ts';

const root = join(import.meta.dirname, '../../..');
/** A literal in both programs: where `npm start` serves by default. */
const defaultUrl = "'http://127.0.0.1:8787'";

/** `read` returns the program for its path, as one file. */
export async function clientFile(
  { publicUrl }: ApiServices,
  { file, read }: { readonly file: string; readonly read: (path: string) => Promise<string> },
): Promise<ApiResponse> {
  const source = await read(join(root, file));
  return {
    text: source.replace(defaultUrl, () => JSON.stringify(publicUrl())),
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    },
  };
}
