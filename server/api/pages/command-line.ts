/** Serves the command line client. */
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { clientFile } from './client-file.ts';
import { joinModules } from './join-modules.ts';

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
