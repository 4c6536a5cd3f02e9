/**
 * Requests whose client has gone while they are still being authorized or received. The client may
 * repeat such a request at once, and the repeated one can overtake it. A create therefore waits for
 * them before it decides whether it repeats another one.
 */
import type { ServerResponse } from 'node:http';

/** By credential: each promise resolves when its request is registered or has ended. */
const abandoned = new Map<string, Set<Promise<void>>>();

export type TrackedRequest = {
  /** Call it when the request has registered what it does without its client, or has ended. */
  settle(): void;
};

export function trackRequest(response: ServerResponse, credential: string): TrackedRequest {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onClose = () => {
    const others = abandoned.get(credential) ?? new Set();
    abandoned.set(credential, others.add(promise));
    void promise.then(() => {
      others.delete(promise);
      if (others.size === 0) abandoned.delete(credential);
    });
  };
  response.once('close', onClose);
  return {
    settle() {
      response.off('close', onClose);
      resolve();
    },
  };
}

/** Resolves when the abandoned requests with this credential are registered or have ended. */
export async function whenAbandonedSettled(credential: string): Promise<void> {
  await Promise.all(abandoned.get(credential) ?? []);
}
