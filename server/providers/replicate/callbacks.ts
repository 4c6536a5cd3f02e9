/**
 * Replicate's callbacks, signed after Standard Webhooks with the secret of the account: configured,
 * or fetched with our key when the first callback comes.
 */
import { unixSeconds } from '../../clock.ts';
import { signatureProblem } from '../../standard-webhooks.ts';
import type { CallbackRequest, CallbackResult } from '../provider.ts';
import { createRefreshableKeys, verifyWithRefresh } from '../toolkit/refreshable-keys.ts';
import { asJson, asRecord, asText } from '../toolkit/response-values.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { hasReference, readPrediction } from './wire.ts';

const ageMsMax = 24 * 3_600_000;

export function createReadCallback(options: {
  readonly configured: (() => string) | undefined;
  readonly fetchSecret: () => Promise<UpstreamOutcome>;
}): (request: CallbackRequest) => Promise<CallbackResult> {
  const keys = createRefreshableKeys({
    ageMsMax,
    async fetch() {
      const outcome = await options.fetchSecret();
      const json = outcome.kind === 'answered' && outcome.status === 200 ? outcome.json : undefined;
      const secret = asText(asRecord(json)?.key);
      return secret ? { secret } : undefined;
    },
  });

  async function signatureError(request: CallbackRequest): Promise<string | null> {
    const verify = ({ secret }: { readonly secret: string }) =>
      signatureProblem(request, { secret, nowSeconds: unixSeconds() });
    return options.configured
      ? verify({ secret: options.configured() })
      : await verifyWithRefresh(keys, verify);
  }

  return async (request) => {
    const detail = await signatureError(request);
    if (detail !== null) return { outcome: 'invalid_signature', detail };
    // Signed, but for another start: somebody sends what was said elsewhere.
    const { webhook, id } = readPrediction(asJson(request.body)) ?? {};
    if (webhook !== undefined && !hasReference(webhook, request.reference)) {
      return { outcome: 'invalid_signature', detail: 'it was sent to another address' };
    }
    return { outcome: 'hint', ...(id ? { operation: id } : {}) };
  };
}
