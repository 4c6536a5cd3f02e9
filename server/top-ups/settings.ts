/** Top-ups in the configuration file: credit packs and Stripe. */
import { z } from 'zod';

/** The name of an environment variable; the secret itself is not in the file. */
const Secret = z.strictObject({ env: z.string().min(1) });

const Pack = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, 'must be lower-case letters, digits and dashes'),
  credits: z.int().min(1).max(1_000_000_000),
  /** In the smallest unit of the currency, such as cents. Stripe accepts at most eight digits. */
  price: z.int().min(1).max(99_999_999),
});

const StripeSettings = z.strictObject({
  /** `sk_…`, or better a restricted key `rk_…` that can only write Checkout Sessions. */
  secretKey: Secret,
  /** `whsec_…` of the endpoint `<public url>/stripe/events`. */
  webhookSecret: Secret,
  /** Three lower-case letters, such as `usd`. */
  currency: z.string().regex(/^[a-z]{3}$/, 'must be three lower-case letters, such as usd'),
  packs: z
    .array(Pack)
    .min(1)
    .max(20)
    .refine(
      (packs) => new Set(packs.map(({ id }) => id)).size === packs.length,
      'must have a unique id for each',
    ),
  /** Another server with Stripe's API, for tests. */
  address: z
    .strictObject({
      protocol: z.enum(['http', 'https']),
      host: z.string().min(1),
      port: z.int().min(1).max(65_535),
    })
    .optional(),
});
export type StripeSettings = z.infer<typeof StripeSettings>;
export type Pack = z.infer<typeof Pack>;

export const TopUpSettings = z.strictObject({ stripe: StripeSettings.optional() });
export type TopUpSettings = z.infer<typeof TopUpSettings>;

/** The environment variables that the settings refer to. */
export const variablesOf = ({ stripe }: TopUpSettings): string[] =>
  stripe ? [stripe.secretKey.env, stripe.webhookSecret.env] : [];
