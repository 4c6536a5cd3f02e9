/**
 * Programs for clients, of `cli/` and `ai-sdk/`, with the URL of this installation as their
 * default, so that a downloaded copy calls the service it came from.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import type { ApiResponse, ApiServices } from '../http/handler.ts';
import { joinModules } from './join-modules.ts';

const root = join(import.meta.dirname, '../../..');
/** A literal in both programs: where `npm start` serves by default. */
const defaultUrl = "'http://127.0.0.1:8787'";

/** `read` returns the program for its path, as one file. */
async function clientFile(
  { publicUrl }: ApiServices,
  { file, read }: { readonly file: string; readonly read: (path: string) => Promise<string> },
): Promise<ApiResponse> {
  const source = await read(join(root, file));
  return {
    text: source.replace(defaultUrl, () => JSON.stringify(publicUrl())),
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
    },
  };
}

export const commandLine = endpoint({
  operationId: 'commandLine',
  method: 'GET',
  path: '/vidgen.mjs',
  summary: 'Download the command line client',
  description:
    'One file for Node 18.3 or newer that uses this service: ' +
    '`node vidgen.mjs create --prompt "…" --wait -o video.mp4`, with the key in `VIDGEN_KEY`.',
  auth: 'none',
  allowsHead: true,
  responses: {
    200: { description: 'A program.', schema: z.string(), contentType: 'text/javascript' },
  },
  handler: (services) => clientFile(services, { file: 'cli/vidgen.mjs', read: joinModules }),
});

export const aiSdkProvider = endpoint({
  operationId: 'aiSdkProvider',
  method: 'GET',
  path: '/vidgen-ai-sdk.mjs',
  summary: 'Download the AI SDK provider',
  description:
    'One file for the package `ai`, version 7, that uses this service: ' +
    "`generateVideo({ model: vidgen.video('vidgen-2-5'), prompt })`, with the key in `VIDGEN_KEY`.",
  auth: 'none',
  allowsHead: true,
  responses: {
    200: { description: 'A module.', schema: z.string(), contentType: 'text/javascript' },
  },
  handler: (services) =>
    clientFile(services, {
      file: 'ai-sdk/vidgen-ai-sdk.mjs',
      read: (path) => readFile(path, 'utf8'),
    }),
});

export const clientFileEndpoints = [commandLine, aiSdkProvider];
