/** fal's signed callbacks, and the set of keys they are verified with: kept for a day at most. */
import { unixSeconds } from '../../clock.ts';
import type { CallbackRequest, CallbackResult } from '../provider.ts';
import { createRefreshableKeys, verifyWithRefresh } from '../toolkit/refreshable-keys.ts';
import { asJson, asRecord } from '../toolkit/response-values.ts';
import { createUpstream } from '../toolkit/upstream.ts';
import { requestIdOf } from './operation.ts';
import { readKeySet, signatureProblem } from './signature.ts';

const ageMsMax = 24 * 3_600_000;
const timeoutMs = 10_000;

export type CallbackReader = {
  read(request: CallbackRequest): Promise<CallbackResult>;
  close(): Promise<void>;
};

export function createCallbackReader(options: { readonly keySetUrl: string }): CallbackReader {
  const { origin, pathname, search } = new URL(options.keySetUrl);
  // Another host than the queue's: our key is not sent along.
  const upstream = createUpstream({ baseUrl: origin });
  const keySet = createRefreshableKeys({
    ageMsMax,
    async fetch() {
      const outcome = await upstream.call({ method: 'GET', path: pathname + search, timeoutMs });
      const isRead = outcome.kind === 'answered' && outcome.status === 200;
      const keys = isRead ? readKeySet(outcome.json) : [];
      return keys.length > 0 ? keys : undefined;
    },
  });

  return {
    async read(request) {
      const detail = await verifyWithRefresh(keySet, (keys) =>
        signatureProblem(request, { keys, nowSeconds: unixSeconds() }),
      );
      if (detail !== null) return { outcome: 'invalid_signature', detail };
      const id = requestIdOf(asRecord(asJson(request.body))?.request_id);
      return { outcome: 'hint', ...(id ? { operation: id } : {}) };
    },
    close: () => upstream.close(),
  };
}
