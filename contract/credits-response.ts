/** Extension: `GET /v1/credits`, what the key's account can spend in the key's mode. */
import { z } from 'zod';
import { keyModes } from './models.ts';

export const CreditsResponse = z
  .object({
    available: z.int().min(0).describe('Credits available for new tasks.'),
    reserved: z.int().min(0).describe('Credits held for tasks in progress.'),
    mode: z.enum(keyModes).describe('Which balance the key uses.'),
  })
  .meta({ id: 'Credits' });
export type CreditsResponse = z.infer<typeof CreditsResponse>;
