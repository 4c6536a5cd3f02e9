/** What all endpoints of OpenAI's format have in common. */
import { OpenAiErrorResponse } from '@vidgen/contract/openai-videos.ts';
import { openAiError } from './error-format.ts';

export const openAiDefinition = {
  auth: 'key',
  extension: true,
  formatError: openAiError,
  errorSchema: OpenAiErrorResponse,
} as const;
