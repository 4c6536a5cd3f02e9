/**
 * Sends one webhook: signed, at most 15 seconds, without following redirects. Every outcome is
 * returned as a value; only a 2xx status counts as delivered (docs/spec.md 6.1.2).
 */

import { sign } from '../crypto/standard-webhooks.ts';
import type { Egress } from '../egress/egress.ts';
import type { FailureCode } from '../egress/failure.ts';

/** docs/spec.md 6.1.2: a receiver that has not responded by then is tried again. */
const webhookTimeoutMs = 15_000;
/** How much of a response is recorded; the rest is not read. */
const responseBytesMax = 2048;

/** Either `responseStatus` or `error` is set. */
export type SendResult = {
  readonly delivered: boolean;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  /** `cancelled`: this process is stopping, and the webhook must be sent again. */
  readonly error: FailureCode | null;
  /** The headers that differ with each attempt; absent if nothing was sent. */
  readonly signedHeaders?: Readonly<Record<string, string>>;
};

/** The same for all webhooks. */
export const webhookHeaders = { 'content-type': 'application/json', 'user-agent': 'vidgen' };

export async function sendWebhook(
  post: Egress['post'],
  {
    delivery,
    secrets,
    nowSeconds,
  }: {
    readonly delivery: { readonly id: string; readonly url: string; readonly body: string };
    /** The account's secrets; two during a rotation. */
    readonly secrets: readonly string[];
    readonly nowSeconds: number;
  },
): Promise<SendResult> {
  const { id, url, body } = delivery;
  const signedHeaders = {
    // The time of this attempt, not of the first: receivers reject old timestamps.
    'webhook-timestamp': String(nowSeconds),
    'webhook-signature': sign({ id, timestampSeconds: nowSeconds, body }, secrets),
  };
  const response = await post({
    url,
    headers: { ...webhookHeaders, 'webhook-id': id, ...signedHeaders },
    body,
    deadlineMs: webhookTimeoutMs,
    responseBytesMax,
  });
  const durationMs = Math.round(response.durationMs);
  if (response.outcome === 'failed') {
    const failed = { delivered: false, responseStatus: null, responseBody: null };
    return { ...failed, durationMs, error: response.error, signedHeaders };
  }
  return {
    delivered: response.status >= 200 && response.status <= 299,
    durationMs,
    responseStatus: response.status,
    responseBody: response.body,
    error: null,
    signedHeaders,
  };
}
