/**
 * One call to a callback address: signed, at most 15 seconds, never following a redirect. Whatever
 * the receiver does, the outcome is a value; only a 2xx status means delivered (Spec 6.1.2).
 */
import type { Egress } from '../egress/egress.ts';
import type { FailureCode } from '../egress/failure.ts';
import { sign } from '../standard-webhooks.ts';

/** Spec 6.1.2: a receiver that has not answered by then is tried again. */
export const webhookTimeoutMs = 15_000;
/** What the log keeps of an answer; the rest is not even read. */
const responseBytesMax = 2048;

/** Either `answerStatus` or `error` is there: the receiver answered, or it did not come to that. */
export type SendResult = {
  readonly delivered: boolean;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  /** `cancelled` is our own doing: the process is ending, and the call is to be made again. */
  readonly error: FailureCode | null;
};

export async function sendWebhook(
  post: Egress['post'],
  {
    delivery,
    secrets,
    nowSeconds,
  }: {
    readonly delivery: { readonly id: string; readonly url: string; readonly body: string };
    /** The account's; two while one is being rotated. */
    readonly secrets: readonly string[];
    readonly nowSeconds: number;
  },
): Promise<SendResult> {
  const { id, url, body } = delivery;
  const response = await post({
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'vidgen',
      'webhook-id': id,
      // Of this attempt, not of the first: receivers refuse a call whose time is long past.
      'webhook-timestamp': String(nowSeconds),
      'webhook-signature': sign({ id, timestampSeconds: nowSeconds, body }, secrets),
    },
    body,
    deadlineMs: webhookTimeoutMs,
    responseBytesMax,
  });
  const durationMs = Math.round(response.durationMs);
  if (response.outcome === 'failed') {
    const { error } = response;
    return { delivered: false, durationMs, responseStatus: null, responseBody: null, error };
  }
  return {
    delivered: response.status >= 200 && response.status <= 299,
    durationMs,
    responseStatus: response.status,
    responseBody: response.body,
    error: null,
  };
}
