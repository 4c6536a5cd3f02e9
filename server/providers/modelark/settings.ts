/** Settings of a ModelArk provider in the configuration file. */
import { z } from 'zod';
import { Credentials, httpUrl, sharedSettings, upstreamModels } from '../settings.ts';

export const ModelArkSettings = z.strictObject({
  kind: z.literal('modelark'),
  ...sharedSettings,
  /** Ends with `/api/v3`; keys and model ids belong to one region. */
  baseUrl: httpUrl,
  apiKey: Credentials,
  /** Model or endpoint ids of the account. They contain dates and are retired. */
  models: upstreamModels,
  /**
   * The upstream documents no seed for the 2.0 family, yet its tasks show one. True (the default):
   * a task may be refused because of its seed. False: the seed is ignored.
   */
  forwardSeed: z.boolean().optional(),
  /** What the account allows, divided by the number of processes that share it. */
  listPerSecond: z.number().positive().optional(),
  /** How long after a start with a lost response its task may still appear in the list. */
  settleSeconds: z.number().positive().optional(),
});
