/** Serves the provider for the AI SDK. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { clientFile } from './client-file.ts';

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
