/** Builds the create from a checked request: who creates, at which price, and what it repeats. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import type { CreateRequest } from '@vidgen/contract/create-generation.ts';
import type { KeyIdentity } from '../../accounts/keys/api-key.ts';
import { priceOf } from '../../catalog/price.ts';
import type { CreateTask } from '../../lifecycle/create/accept-decision.ts';
import { forcedOutcome } from '../../providers/preview/preview.ts';
import type { RequestRef } from '../../tasks/undelivered-creates.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { digestOfRequest } from './request-digest.ts';

/** Decisions, "Test keys": `[test:timeout]` ends after 5 s. */
const forcedTimeoutSeconds = 5;

export type CreateOrigin = Pick<CreateTask, 'createdBy' | 'reauthorize' | 'dialect'>;

export function toCreateTask(
  { lifecycle, uploads }: ApiServices,
  httpRequest: ApiRequest,
  { request, ...origin }: CreateOrigin & { readonly request: CreateRequest },
): CreateTask {
  const { accountId, keyId, mode } = httpRequest.identity as KeyIdentity;
  const { generation } = request;
  const key = idempotencyKeyOf(httpRequest);
  const digest = () => digestOfRequest(uploads, request, origin.dialect?.taskType);
  const forced = mode === 'test' ? forcedOutcome(generation.prompt) : null;
  return {
    ...request,
    accountId,
    keyId,
    mode,
    credits: priceOf(generation, lifecycle.catalog.prices),
    timeoutSeconds:
      forced === 'timeout' ? forcedTimeoutSeconds : lifecycle.settings.taskTimeoutSeconds,
    idempotency: key === null ? null : { key, requestDigest: digest() },
    requestRef: key === null ? requestRefOf(keyId, digest) : null,
    isDisconnected: httpRequest.isDisconnected,
    requestId: httpRequest.requestId,
    ...origin,
  };
}

function idempotencyKeyOf({ headers }: ApiRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key) && key.trim() !== '') return key;
  throw new ApiError(
    'invalid_request',
    'The Idempotency-Key header must be 1 to 255 printable ASCII characters.',
  );
}

/** The digest is computed when it is needed, which is seldom. */
function requestRefOf(keyId: string, digest: () => string): RequestRef {
  let requestDigest: string | undefined;
  return {
    keyId,
    get requestDigest() {
      requestDigest ??= digest();
      return requestDigest;
    },
  };
}
