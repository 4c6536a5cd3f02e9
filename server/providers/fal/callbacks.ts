/** fal's signed callbacks, and the set of keys they are verified with: kept for a day at most. */
import { unixSeconds } from '../../clock.ts';
import type { CallbackReading, CallbackRequest } from '../provider.ts';
import { asJson, asRecord } from '../toolkit/answer-values.ts';
import { createRemembered, judgeWith } from '../toolkit/remembered.ts';
import { createUpstream } from '../toolkit/upstream.ts';
import { requestIdOf } from './operation.ts';
import { readKeySet, whyForged } from './signature.ts';

const keptMsMax = 24 * 3_600_000;
const timeoutMs = 10_000;

export type CallbackReader = {
  read(request: CallbackRequest): Promise<CallbackReading>;
  close(): Promise<void>;
};

export function createCallbackReader(options: { readonly keySetUrl: string }): CallbackReader {
  const { origin, pathname, search } = new URL(options.keySetUrl);
  // Another host than the queue's: our key is not sent along.
  const upstream = createUpstream({ baseUrl: origin });
  const keySet = createRemembered({
    keptMsMax,
    async fetch() {
      const outcome = await upstream.call({ method: 'GET', path: pathname + search, timeoutMs });
      const isRead = outcome.kind === 'answered' && outcome.status === 200;
      const keys = isRead ? readKeySet(outcome.json) : [];
      return keys.length > 0 ? keys : undefined;
    },
  });

  return {
    async read(request) {
      const detail = await judgeWith(keySet, (keys) =>
        whyForged(request, { keys, nowSeconds: unixSeconds() }),
      );
      if (detail !== null) return { outcome: 'forged', detail };
      const id = requestIdOf(asRecord(asJson(request.body))?.request_id);
      return { outcome: 'hint', ...(id ? { operation: id } : {}) };
    },
    close: () => upstream.close(),
  };
}
