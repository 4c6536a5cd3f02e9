/**
 * Reads Replicate's callbacks, signed as Standard Webhooks with the secret of the account: the
 * configured one, or the one fetched with the API key when the first callback arrives.
 */
import { signatureProblem } from '../../crypto/standard-webhooks.ts';
import { unixSeconds } from '../../process/clock.ts';
import type { CallbackRequest, CallbackResult } from '../provider.ts';
import { callbackHint, createKeyVerifier, invalidSignature } from '../toolkit/callbacks.ts';
import { asJson, asRecord, asText } from '../toolkit/response-values.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { hasReference, readPrediction } from './wire.ts';

export function createReadCallback(options: {
  readonly configured: (() => string) | undefined;
  readonly fetchSecret: () => Promise<UpstreamOutcome>;
}): (request: CallbackRequest) => Promise<CallbackResult> {
  const { configured } = options;
  const verifyWithFetched = createKeyVerifier({
    async fetch() {
      const outcome = await options.fetchSecret();
      const json = outcome.kind === 'response' && outcome.status === 200 ? outcome.json : undefined;
      const secret = asText(asRecord(json)?.key);
      return secret ? { secret } : undefined;
    },
  });

  return async (request) => {
    const verify = ({ secret }: { readonly secret: string }) =>
      signatureProblem(request, { secret, nowSeconds: unixSeconds() });
    const problem = configured ? verify({ secret: configured() }) : await verifyWithFetched(verify);
    if (problem !== null) return invalidSignature(problem);
    // A callback of another start that was replayed to this URL.
    const { webhook, id } = readPrediction(asJson(request.body)) ?? {};
    if (webhook !== undefined && !hasReference(webhook, request.reference)) {
      return invalidSignature('the callback is for another URL');
    }
    return callbackHint(id);
  };
}
