/**
 * Providers, routes, prices, aliases and top-ups. Copy this file to `vidgen.config.ts`, keep what
 * you need, and restart. Every part is optional; without the file, all tasks use the built-in
 * preview.
 */
import type { ConfigFile } from './server/config/config-file.ts';

export default {
  /**
   * Providers by name. Tasks store the name: do not reuse it for another provider, and keep it here
   * until its last task has ended. All kinds and settings: docs/providers.md.
   */
  providers: {
    ark: {
      // Seedance on BytePlus ModelArk, or on Volcengine Ark with its base URL.
      kind: 'modelark',
      baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3',
      // The environment variable with the key, read on every use. To rotate keys, give a list: the
      // first starts tasks, the others finish the tasks that were started with them.
      apiKey: { env: 'ARK_API_KEY' },
      // Tasks at once, over all processes. More wait, or go to the next provider of the route.
      concurrency: 10,
      // vidgen's models to the model IDs of your console. These contain dates and are retired.
      models: {
        'vidgen-2-5': 'dreamina-seedance-2-5-260628',
        'vidgen-2-0': 'dreamina-seedance-2-0-260128',
        'vidgen-2-0-fast': 'dreamina-seedance-2-0-fast-260128',
      },
      // Whether `seed` is sent. It is not documented for these models and can be rejected.
      forwardSeed: true,
    },
  },

  /**
   * The providers of each model for live tasks, first choice first. The next one is tried only
   * when the one before has proved that it did not accept the task. A model without a route is not
   * served to live keys, and /readyz reports it. `preview` is the built-in preview. To share tasks
   * by weight, use an inner list: [{ provider: 'a', weight: 3 }, { provider: 'b', weight: 1 }].
   */
  routes: {
    'vidgen-2-5': ['ark'],
    'vidgen-2-0': ['ark'],
    'vidgen-2-0-fast': ['ark'],
    'vidgen-2-0-mini': ['preview'],
  },

  /**
   * Credits per second of output. Prices that are not listed keep their defaults. With a reference
   * video the default is 1.5 times the price.
   */
  prices: {
    'vidgen-2-5': {
      '1080p': { perSecond: 20, perSecondWithVideo: 32 },
    },
  },

  /**
   * Models of other vendors that clients ask for by name: n8n, for example, offers only these two.
   * They are taken by the endpoints that speak the format of another vendor, such as
   * POST /v1/videos, and listed in `data` of GET /v1/models. See docs/guides/openai.md.
   */
  aliases: {
    'sora-2': 'vidgen-2-5',
    'sora-2-pro': 'vidgen-2-0',
  },

  /**
   * What account owners can buy with Stripe Checkout. Without it, credits come from grants and
   * redemption codes. Setup: docs/guides/going-to-production.md.
   */
  topUps: {
    stripe: {
      // A restricted key that can write Checkout Sessions is enough.
      secretKey: { env: 'STRIPE_SECRET_KEY' },
      // The signing secret of the endpoint <VIDGEN_PUBLIC_URL>/stripe/events.
      webhookSecret: { env: 'STRIPE_WEBHOOK_SECRET' },
      currency: 'usd',
      // Prices in the smallest unit of the currency: 1900 is 19 dollars. An open checkout keeps its
      // price when this list changes.
      packs: [
        { id: 'small', credits: 1_000, price: 1_900 },
        { id: 'large', credits: 12_000, price: 19_900 },
      ],
    },
  },
} satisfies ConfigFile;
