/**
 * Runs a tool for a key. What the caller can correct is the result of the tool, with `isError`, so
 * that a language model reads it; our own errors are errors of the protocol.
 */
import assert from 'node:assert/strict';
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { KeyIdentity } from '../../../accounts/keys/api-key.ts';
import { requirePermission } from '../../../accounts/keys/authenticate.ts';
import { Counts, enforceRateLimit } from '../../http/enforce-rate-limit.ts';
import type { ApiRequest, ApiServices } from '../../http/handler.ts';
import { parseBody } from '../../http/parse-request.ts';
import { detailsOf, RpcError } from './json-rpc.ts';
import { type Tool, tools } from './tools.ts';

export type ToolResult = {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: object;
  readonly isError?: true;
};

/** A key sees what it may call: without `videos:create`, the tools that read. */
export const toolsOf = ({ permissions }: KeyIdentity): readonly Tool[] =>
  tools.filter(({ endpoint: { permission } }) => !permission || permissions.includes(permission));

export function findTool(name: unknown): Tool {
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool;
  throw new RpcError('invalidParams', `Unknown tool: ${String(name).slice(0, 100)}`);
}

export async function callTool(
  services: ApiServices,
  request: ApiRequest,
  { tool, input }: { readonly tool: Tool; readonly input: unknown },
): Promise<ToolResult> {
  const { identity, setHeaders } = request;
  const counts = new Counts();
  const { permission, rateLimit } = tool.endpoint;
  assert(identity);
  try {
    if (permission) requirePermission(identity, permission);
    // Every message has been counted as a read.
    if (rateLimit === 'create')
      await enforceRateLimit(services, rateLimit, { identity, setHeaders, ...counts });
    const parsed = parseBody(tool.input, input ?? {});
    const { body, headers } = await tool.run(services, request, parsed);
    const result = toolResult(body as object);
    const ignored = headers?.['vidgen-ignored'];
    if (ignored === undefined) return result;
    const names = argumentNames(String(ignored));
    const text = `Ignored, because generation_type does not use them: ${names}`;
    return { ...result, content: [...result.content, { type: 'text', text }] };
  } catch (error) {
    await counts.settle(error);
    if (!(error instanceof ApiError) || isFatal(error)) throw error;
    const text = { type: 'text', text: argumentNames(error.message) } as const;
    return { content: [text], structuredContent: { error: detailsOf(error) }, isError: true };
  }
}

/** Our messages name fields of the HTTP body, where most are in `input`. */
const argumentNames = (message: string): string => message.replace(/\binput\./g, '');

/** A key that was revoked meanwhile is rejected like one that was revoked before. */
const isFatal = ({ code }: ApiError): boolean =>
  code === 'internal_error' || code === 'invalid_api_key';

export const toolResult = (body: object): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(body) }],
  structuredContent: body,
});
