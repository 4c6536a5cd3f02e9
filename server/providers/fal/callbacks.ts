/**
 * Reads fal's callbacks: Ed25519 over request id, user id, time and the hash of the body, by any
 * key of the set that fal publishes.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { timestampProblem } from '../../crypto/standard-webhooks.ts';
import { unixSeconds } from '../../process/clock.ts';
import type { CallbackRequest, CallbackResult } from '../provider.ts';
import { callbackHint, createKeyVerifier, invalidSignature } from '../toolkit/callbacks.ts';
import { asJson, asRecord } from '../toolkit/response-values.ts';
import { createUpstream } from '../toolkit/upstream.ts';
import { requestIdOf } from './operation.ts';

const timeoutMs = 10_000;

export function createCallbackReader(options: { readonly keySetUrl: string }): {
  read(request: CallbackRequest): Promise<CallbackResult>;
  close(): Promise<void>;
} {
  const { origin, pathname, search } = new URL(options.keySetUrl);
  // The keys are on another host than the queue, so the API key is not sent.
  const upstream = createUpstream({ baseUrl: origin });
  const verifyWith = createKeyVerifier({
    async fetch() {
      const outcome = await upstream.call({ method: 'GET', path: pathname + search, timeoutMs });
      const isRead = outcome.kind === 'response' && outcome.status === 200;
      const keys = isRead ? readKeySet(outcome.json) : [];
      return keys.length > 0 ? keys : undefined;
    },
  });

  return {
    async read(request) {
      const problem = await verifyWith((keys) =>
        signatureProblem(request, { keys, nowSeconds: unixSeconds() }),
      );
      if (problem !== null) return invalidSignature(problem);
      return callbackHint(requestIdOf(asRecord(asJson(request.body))?.request_id));
    },
    close: () => upstream.close(),
  };
}

/** Returns why a callback is not authentic, or null when it is recent and signed with a key. */
export function signatureProblem(
  { headers, body }: Pick<CallbackRequest, 'headers' | 'body'>,
  { keys, nowSeconds }: { readonly keys: readonly KeyObject[]; readonly nowSeconds: number },
): string | null {
  const requestId = headers['x-fal-webhook-request-id'];
  const userId = headers['x-fal-webhook-user-id'];
  const timestamp = headers['x-fal-webhook-timestamp'];
  const signature = headers['x-fal-webhook-signature'];
  if (!requestId || !userId || !timestamp || !signature) return 'signature headers are missing';
  const problem = timestampProblem(timestamp, nowSeconds);
  if (problem !== null) return problem;
  if (!/^[\da-f]{128}$/i.test(signature)) return 'signature is not hexadecimal';
  const hash = createHash('sha256').update(body).digest('hex');
  const message = Buffer.from([requestId, userId, timestamp, hash].join('\n'));
  const given = Buffer.from(signature, 'hex');
  const isValid = keys.some((key) => verify(null, message, key, given));
  return isValid ? null : 'signature does not match';
}

/** Returns the Ed25519 keys of a JSON Web Key Set; others are skipped. */
export function readKeySet(json: unknown): KeyObject[] {
  const keys = asRecord(json)?.keys;
  return (Array.isArray(keys) ? keys : []).flatMap((value) => {
    const { kty, crv, x } = asRecord(value) ?? {};
    if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') return [];
    try {
      return [createPublicKey({ key: { kty, crv, x }, format: 'jwk' })];
    } catch {
      return [];
    }
  });
}
