/**
 * `GET /vidgen.mjs`, `GET /vidgen-ai-sdk.mjs`: the command line and the provider for the AI SDK, as
 * `cli/` and `ai-sdk/` have them, but for their default address: the copy that a service hands out
 * asks that service.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiResponse, ApiServices, Handler } from '../http/handler.ts';

const root = join(import.meta.dirname, '../../..');
/** A literal of both files; `npm start` serves there unless told otherwise. */
const defaultUrl = "'http://127.0.0.1:8787'";

export const getCommandLine: Handler = (services) => serveClientFile(services, 'cli/vidgen.mjs');
export const getAiSdkProvider: Handler = (services) =>
  serveClientFile(services, 'ai-sdk/vidgen-ai-sdk.mjs');

async function serveClientFile({ publicUrl }: ApiServices, file: string): Promise<ApiResponse> {
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
