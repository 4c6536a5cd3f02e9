/** What all endpoints of OpenRouter's format have in common: keys as on `/v1`, and its errors. */
import { OpenRouterErrorResponse } from '@vidgen/contract/openrouter-videos.ts';
import { errorResponse } from '../../http/error-response.ts';
import type { FormatError } from '../../http/handler.ts';

const openRouterError: FormatError = (error) => {
  const { status, headers } = errorResponse(error);
  const { code, message } = error;
  const body: OpenRouterErrorResponse = { error: { code: status, message, metadata: { code } } };
  return { status, headers, body };
};

export const openRouterDefinition = {
  auth: 'key',
  formatError: openRouterError,
  errorSchema: OpenRouterErrorResponse,
} as const;
