/** Settings of a ModelArk provider in the configuration file. */
import { z } from 'zod';
import { Credentials, httpUrl, sharedSettings, upstreamModels } from '../settings.ts';

export const ModelArkSettings = z.strictObject({
  kind: z.literal('modelark'),
  ...sharedSettings,
  baseUrl: httpUrl,
  apiKey: Credentials,
  /** Dated model ids, or endpoint ids, of the account. */
  models: upstreamModels,
  forwardSeed: z.boolean().optional(),
  /** What the account allows, divided by the number of processes that share it. */
  listPerSecond: z.number().positive().optional(),
  /** How long after a start with a lost response its task may still appear in the list. */
  settleSeconds: z.number().positive().optional(),
});
