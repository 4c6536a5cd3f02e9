/**
 * What has structure: providers, routes, prices, top-ups. Copy it to `vidgen.config.ts`, keep what
 * you need and start again. Every part is optional; without the file all tasks go to the built-in
 * preview.
 */
import type { ConfigFile } from './server/config-file.ts';

export default {
  /**
   * Generators, each under a name of yours. Tasks remember the name: do not give it to another
   * generator later, and keep it here until its last task has ended.
   */
  providers: {
    ark: {
      // Seedance on BytePlus ModelArk, or on Volcengine Ark with its own address.
      kind: 'modelark',
      baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3',
      // Named, not written: the key is read from the environment whenever it is used. A list of
      // them rotates: the first starts tasks, the others finish theirs.
      apiKey: { env: 'ARK_API_KEY' },
      // Tasks it has at once, over all processes; more wait, or go to the next of the route.
      concurrency: 10,
      // Our models to the ids of your console. They carry dates, and are retired: look them up.
      models: {
        'vidgen-2-5': 'dreamina-seedance-2-5-260628',
        'vidgen-2-0': 'dreamina-seedance-2-0-260128',
        'vidgen-2-0-fast': 'dreamina-seedance-2-0-fast-260128',
      },
      // Whether `seed` is sent on. The vendor documents none for these models; it may refuse it.
      forwardSeed: true,
    },
  },

  /**
   * Which providers serve live tasks of a model, the first choice first. The next one is tried only
   * when the one before has proved that it did not take the task. A model without a route is not
   * served to live keys, and /readyz says so. `preview` is the built-in one. A place may be shared:
   * [{ provider: 'ark', weight: 3 }, { provider: 'other', weight: 1 }]. More: docs/providers.md.
   */
  routes: {
    'vidgen-2-5': ['ark'],
    'vidgen-2-0': ['ark'],
    'vidgen-2-0-fast': ['ark'],
    'vidgen-2-0-mini': ['preview'],
  },

  /**
   * Credits a second of output; what is not named keeps its default. With a video among the
   * references it is 1.5 times as much, unless you say otherwise.
   */
  prices: {
    'vidgen-2-5': {
      '1080p': { perSecond: 20, perSecondWithVideo: 32 },
    },
  },

  /**
   * What owners of accounts can buy by themselves, with Stripe Checkout. Without it there are
   * grants and redemption codes. More: docs/guides/going-to-production.md.
   */
  topUps: {
    stripe: {
      // A restricted key that may write Checkout Sessions is enough.
      secretKey: { env: 'STRIPE_SECRET_KEY' },
      // Of the endpoint <VIDGEN_PUBLIC_URL>/stripe/events.
      webhookSecret: { env: 'STRIPE_WEBHOOK_SECRET' },
      currency: 'usd',
      // Prices in the smallest unit of the currency: 1900 are 19 dollars. An open checkout keeps
      // the price it began with.
      packs: [
        { id: 'small', credits: 1_000, price: 1_900 },
        { id: 'large', credits: 12_000, price: 19_900 },
      ],
    },
  },
} satisfies ConfigFile;
