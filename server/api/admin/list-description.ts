/** The response of a list in the OpenAPI document. */
import type { z } from 'zod';
import type { ResponseDescription } from '../http/endpoint.ts';
import { pageOf } from '../http/samples.ts';

export const listDescription = (schema: z.ZodType, item: object): ResponseDescription => ({
  description: 'A page, newest first.',
  schema,
  examples: { page: ['The last page', pageOf(item)] },
});
