/**
 * Replicate's callbacks, signed after Standard Webhooks with the secret of the account: configured,
 * or fetched with our key when the first callback comes.
 */
import { unixSeconds } from '../../clock.ts';
import type { CallbackReading, CallbackRequest } from '../provider.ts';
import { asJson, asRecord, asText } from '../toolkit/answer-values.ts';
import { createRemembered, judgeWith } from '../toolkit/remembered.ts';
import { whyForged } from '../toolkit/standard-webhooks.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { carries, readPrediction } from './wire.ts';

const keptMsMax = 24 * 3_600_000;

export function createReadCallback(options: {
  readonly configured: (() => string) | undefined;
  readonly fetchSecret: () => Promise<UpstreamOutcome>;
}): (request: CallbackRequest) => Promise<CallbackReading> {
  const fetched = createRemembered({
    keptMsMax,
    async fetch() {
      const outcome = await options.fetchSecret();
      const told = outcome.kind === 'answered' && outcome.status === 200 ? outcome.json : undefined;
      const secret = asText(asRecord(told)?.key);
      return secret ? { secret } : undefined;
    },
  });

  async function trouble(request: CallbackRequest): Promise<string | null> {
    const judge = ({ secret }: { readonly secret: string }) =>
      whyForged(request, { secret, nowSeconds: unixSeconds() });
    return options.configured
      ? judge({ secret: options.configured() })
      : await judgeWith(fetched, judge);
  }

  return async (request) => {
    const detail = await trouble(request);
    if (detail !== null) return { outcome: 'forged', detail };
    // Signed, but for another start: somebody sends what was said elsewhere.
    const { webhook, id } = readPrediction(asJson(request.body)) ?? {};
    if (webhook !== undefined && !carries(webhook, request.reference)) {
      return { outcome: 'forged', detail: 'it was sent to another address' };
    }
    return { outcome: 'hint', ...(id ? { operation: id } : {}) };
  };
}
