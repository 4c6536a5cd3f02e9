/** Replicate's endpoints. Reads are limited to 50 per second for the whole account. */
import { type CallOptions, createClient, type ReadTurn } from '../toolkit/client.ts';
import { replicateBaseUrl } from './settings.ts';

export type ReplicateCalls = ReturnType<typeof createReplicateCalls>;

export function createReplicateCalls(options: CallOptions & { readonly baseUrl?: string }) {
  const { createTimeoutMs = 60_000 } = options;
  const client = createClient({
    baseUrl: replicateBaseUrl,
    getPerSecond: 25,
    ...options,
  });

  return {
    createTimeoutMs,
    create: (path: string, body: unknown, cancelAfter: string) =>
      client.call('POST', path, {
        body,
        headers: { 'cancel-after': cancelAfter },
        timeoutMs: createTimeoutMs,
      }),
    get: (operation: string, turn?: ReadTurn) => client.read(predictionPath(operation), turn),
    /** Newest first. */
    list: (cursor: string | undefined) =>
      client.read(
        `/predictions${cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`}`,
      ),
    cancel: (operation: string) => client.call('POST', `${predictionPath(operation)}/cancel`),
    webhookSecret: () => client.call('GET', '/webhooks/default/secret'),
    close: client.close,
  };
}

const predictionPath = (operation: string) => `/predictions/${encodeURIComponent(operation)}`;
