/** Messages of the Model Context Protocol: JSON-RPC 2.0. */
import { z } from 'zod';

const RequestId = z.union([z.string(), z.number()], 'must be a string or a number');

export const McpMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: RequestId.optional().describe('Missing on notifications, which get no response.'),
    method: z.string().describe('`tools/list`, `tools/call`, `server/discover`, `initialize` …'),
    params: z.looseObject({}).optional(),
  })
  .meta({ id: 'McpMessage' });
export type McpMessage = z.infer<typeof McpMessage>;

export const McpResponse = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: RequestId.nullable(),
    result: z.looseObject({}).optional(),
    error: z
      .object({ code: z.int(), message: z.string(), data: z.unknown().optional() })
      .optional(),
  })
  .meta({ id: 'McpResponse' });
