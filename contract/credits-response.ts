/** Extension: `GET /v1/credits`, what the key's account can spend in the key's mode. */
import { z } from 'zod';
import { keyModes } from './models.ts';

export const CreditsResponse = z
  .object({
    available: z.int().min(0).describe('Credits a new task can be paid from.'),
    reserved: z.int().min(0).describe('Credits held for tasks in progress.'),
    mode: z.enum(keyModes).describe('The balance of the key: live and test are apart.'),
  })
  .meta({ id: 'Credits' });
export type CreditsResponse = z.infer<typeof CreditsResponse>;
