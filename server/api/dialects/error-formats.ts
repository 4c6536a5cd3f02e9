/** The error shape of paths that no endpoint has, where a client of another API reads it. */
import type { PathFormats } from '../http/api.ts';
import { formatMcpError } from './mcp/json-rpc.ts';
import { formatModelArkError } from './modelark/errors.ts';
import { openAiDefinition } from './openai/definition.ts';
import { openRouterDefinition } from './openrouter/videos.ts';
import { noVersionError, replicateError } from './replicate/predictions.ts';

export const dialectFormats: PathFormats = [
  [/^\/v1\/videos\/(?!generations\b)/, openAiDefinition.formatError],
  [/^\/v1\/predictions\/?(\?|$)/, noVersionError],
  [/^\/v1\/(predictions\/|models\/.*\/predictions\b)/, replicateError],
  [/^\/api\/v1\//, openRouterDefinition.formatError],
  [/^\/api\/v3\//, formatModelArkError],
  [/^\/mcp\//, formatMcpError],
];
