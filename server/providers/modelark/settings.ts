/** ModelArk in the configuration file. */
import { z } from 'zod';
import { Credentials, sharedSettings, upstreamModels } from '../settings.ts';

export const ModelArkSettings = z.strictObject({
  kind: z.literal('modelark'),
  ...sharedSettings,
  baseUrl: z.url(),
  apiKey: Credentials,
  /** Dated ids, or endpoint ids, of the account. */
  models: upstreamModels,
  forwardSeed: z.boolean().optional(),
  /** Calls a second: what the account allows, divided by the processes that share it. */
  getPerSecond: z.number().positive().optional(),
  listPerSecond: z.number().positive().optional(),
  /** How long after a submit whose answer was lost its task may still appear in the list. */
  settleSeconds: z.number().positive().optional(),
});
