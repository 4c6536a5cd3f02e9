/** Creates a task, and estimates what it would cost. */

import assert from 'node:assert/strict';
import { type ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import {
  CreateGenerationRequest,
  CreateGenerationResponse,
  type CreateRequest,
  EstimateResponse,
  editingDuration,
  type Generation,
} from '@vidgen/contract/create-generation.ts';
import type { ModelArkTaskType } from '@vidgen/contract/modelark.ts';
import type { KeyIdentity } from '../../accounts/keys/api-key.ts';
import { checkGeneration } from '../../catalog/check.ts';
import { withPrices } from '../../catalog/customer-prices.ts';
import type { Model } from '../../catalog/models.ts';
import { priceOf } from '../../catalog/price.ts';
import {
  type AcceptedTask,
  acceptedOrThrow,
  type CreateTask,
  idempotencyKeyReused,
  repeatedTaskErased,
} from '../../lifecycle/create/accept-decision.ts';
import { forcedOutcome } from '../../providers/preview/preview.ts';
import { findIdempotencyKeys, requestDigest } from '../../tasks/idempotency.ts';
import type { RequestRef } from '../../tasks/undelivered-creates.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { taskId as sampleTaskId } from '../http/samples.ts';
import { hasMaterials, probeMaterials, requireMinimumBalance } from './probe-create-materials.ts';
import { generationExamples } from './samples.ts';

/**
 * Uploads count by their content: the same file sent again has another URL. `taskType` is of
 * ModelArk's API alone, and changes the video.
 */
function digestOfRequest(
  { contentName }: ApiServices['uploads'],
  request: CreateRequest,
  taskType?: ModelArkTaskType,
): string {
  const { imageUrls, videoUrls, audioUrls } = request.generation;
  return requestDigest({
    ...request,
    generation: {
      ...request.generation,
      imageUrls: imageUrls.map(contentName),
      videoUrls: videoUrls.map(contentName),
      audioUrls: audioUrls.map(contentName),
      ...(taskType === undefined ? {} : { taskType }),
    },
  });
}

/** Throws if the body breaks a rule, or no provider of the model supports what it asks for. */
export function checkCreateRequest(
  { lifecycle: { catalog, egress, providers } }: ApiServices,
  { body, identity }: Pick<ApiRequest, 'body' | 'identity'>,
) {
  assert(identity);
  const checked = checkGeneration(body, {
    catalog,
    checkUrl: (text, kind) => egress.check(text, kind),
    hasProvider: (model) => providers.routeFor(model, identity).length > 0,
  });
  if (!checked.ok) throw invalidRequest(checked.message);
  const unsupportedReason = providers.unsupportedReason(checked.request.generation, identity);
  if (unsupportedReason !== null) {
    throw invalidRequest(`${unsupportedReason} by any configured provider`);
  }
  return { ...checked, model: withPrices(checked.model, identity.prices) };
}

export const ignoredHeader = (ignored: readonly string[]): Record<string, string> =>
  ignored.length === 0 ? {} : { 'vidgen-ignored': ignored.join(', ') };

/** Decisions, "Test keys": `[test:timeout]` ends after 5 s. */
const forcedTimeoutSeconds = 5;

type CreateOrigin = Pick<CreateTask, 'createdBy' | 'reauthorize' | 'dialect'>;

function toCreateTask(
  { lifecycle, uploads }: ApiServices,
  httpRequest: ApiRequest,
  {
    request,
    model,
    ...origin
  }: CreateOrigin & { readonly request: CreateRequest; readonly model: Model },
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
    credits: priceOf(generation, model),
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
  throw invalidRequest('The Idempotency-Key header must be 1 to 255 printable ASCII characters.');
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

/**
 * Creates a video task (docs/spec.md 4.1): from the body to a durable task with reserved credits.
 * The order of the checks is fixed (Decisions, "Order of checks"), so that a request that breaks
 * two rules always gets the same error.
 */
export const createGeneration = endpoint({
  parsesItself: true,
  operationId: 'createGeneration',
  method: 'POST',
  path: '/v1/videos/generations',
  summary: 'Create a video task',
  description:
    'Checks the request, reserves the credits and responds at once, before the video is ' +
    'generated. Then poll the task, or receive a webhook at the `callback_url`.\n\n' +
    'Safe to repeat: with the same `Idempotency-Key`, the first response is returned and nothing ' +
    'is reserved again. Without one, a create whose connection breaks before its response is ' +
    'written is recorded, and the next identical create within ten minutes returns its task.',
  auth: 'key',
  permission: 'videos:create',
  rateLimit: 'create',
  body: CreateGenerationRequest,
  materialBody: 'json',
  requestHeaders: ['Idempotency-Key'],
  requestExamples: generationExamples,
  responses: {
    200: {
      description: 'The task is accepted and its credits are reserved.',
      schema: CreateGenerationResponse,
      headers: ['Sunset', 'vidgen-adopted', 'vidgen-ignored'],
      examples: { accepted: ['Accepted', { taskId: sampleTaskId, credits: 40 }] },
    },
  },
  errors: { insufficient_credits: true },
  handler: (services, request) => createTask(services, request, { createdBy: null }),
});

/**
 * `createdBy` is the person who used the playground, and `reauthorize` judges that person.
 * `creditsMax` rejects a task that costs more, before anything is reserved.
 */
export async function createTask(
  services: ApiServices,
  request: ApiRequest,
  { creditsMax, ...origin }: CreateOrigin & { readonly creditsMax?: number | undefined },
): Promise<ApiResponse> {
  const { ignored, ...checked } = checkCreateRequest(services, request);
  const { retires } = checked.model;
  // RFC 8594: when the model is expected to be gone.
  if (retires !== null) request.setHeaders({ sunset: new Date(retires).toUTCString() });
  const create = toCreateTask(services, request, { ...checked, ...origin });
  const accepting = acceptOnce(services, create, { request, creditsMax, model: checked.model });
  const { requestRef } = create;
  if (requestRef) {
    const unrecordedId = async () => {
      const { taskId, isRecorded } = await accepting;
      return isRecorded ? null : taskId;
    };
    request.onUndelivered(() => services.undelivered.record(requestRef, unrecordedId()));
  }
  const { taskId, credits, isAdopted } = await accepting;
  if (isAdopted) request.setHeaders({ 'vidgen-adopted': '1' });
  return { body: { taskId, credits }, headers: ignoredHeader(ignored) };
}

type AcceptedCreate = AcceptedTask & { readonly isAdopted: boolean };

type AcceptOptions = {
  readonly request: ApiRequest;
  readonly creditsMax: number | undefined;
  readonly model: Model;
};

/** Accepts the create, or returns the task of the create that it repeats. */
async function acceptOnce(
  services: ApiServices,
  create: CreateTask,
  options: AcceptOptions,
): Promise<AcceptedCreate> {
  const { model, request } = options;
  const { files, identity } = request;
  assert(identity);
  if (!hasMaterials(create.generation)) return await acceptOrThrow(services, create, options);
  const previous = await findPreviousResponse(services, create);
  if (previous) return previous;
  await requireMinimumBalance(services, create, model);
  await files.store();
  const probed = await probeMaterials(services, create, { identity, model });
  return await acceptOrThrow(services, probed, options);
}

async function acceptOrThrow(
  { accept, undelivered }: ApiServices,
  create: CreateTask,
  { request: { files }, creditsMax = create.credits }: AcceptOptions,
): Promise<AcceptedCreate> {
  if (create.credits > creditsMax) throw tooExpensive(create, creditsMax);
  if (create.requestRef) await undelivered.waitUntilRecorded(create.requestRef);
  // Kept before the commit: if its outcome is lost, there may be a task that needs the files.
  files.keep(true);
  const outcome = await accept(create);
  files.keep(outcome.outcome === 'accepted');
  return {
    ...acceptedOrThrow(outcome, create.credits),
    isAdopted: outcome.outcome === 'adopted',
  };
}

/**
 * Returns the task of an earlier request that this one repeats, before the balance and materials
 * are checked. Without materials there is nothing to check before the reservation, which finds the
 * earlier request itself.
 */
async function findPreviousResponse(
  { lifecycle, undelivered }: ApiServices,
  { idempotency, requestRef, accountId, mode }: CreateTask,
): Promise<AcceptedCreate | null> {
  if (requestRef) {
    const task = await undelivered.take(requestRef);
    return task && { ...task, isAdopted: true };
  }
  if (!idempotency) return null;
  const { key } = idempotency;
  const [found] = await findIdempotencyKeys(lifecycle.db, [{ accountId, mode, key }]);
  if (!found) return null;
  if (found.requestDigest !== idempotency.requestDigest) throw idempotencyKeyReused();
  if (found.isErased) throw repeatedTaskErased();
  return { taskId: found.taskId, credits: found.credits, isAdopted: false };
}

const tooExpensive = ({ credits }: CreateTask, creditsMax: number): ApiError =>
  invalidRequest(
    `This task costs ${credits} credits and max_credits is ${creditsMax}; raise it, or ask for a ` +
      'shorter video or a lower resolution.',
  );

type EstimatedCreate = {
  readonly accountId: string;
  readonly generation: Generation;
  readonly model: Model;
};

/**
 * The price of an estimate. It fetches nothing, but the length of an uploaded source is known, so
 * an edit of uploads is priced exactly, as its create will be.
 */
export async function estimatePrice(
  { materials, uploads }: Pick<ApiServices, 'materials' | 'uploads'>,
  { accountId, generation, model }: EstimatedCreate,
): Promise<{ readonly credits: number; readonly isUpperBound: boolean }> {
  const { duration, videoUrls, resolution } = generation;
  const pricesInput = videoUrls.length > 0 && model.rates[resolution]!.perInputSecond > 0;
  if (duration !== editingDuration && !pricesInput) {
    return { credits: priceOf(generation, model), isUpperBound: false };
  }
  const isUploaded = videoUrls.every((url) => uploads.parseUrl(url) !== null);
  const videosOnly = { ...generation, imageUrls: [], audioUrls: [] };
  const probed = isUploaded ? await materials.probe({ accountId, generation: videosOnly }) : null;
  const videoSeconds = probed?.measuredVideos ?? [null];
  const credits = priceOf(generation, model, { videoSeconds });
  return { credits, isUpperBound: videoSeconds.includes(null) };
}

export const estimateGeneration = endpoint({
  parsesItself: true,
  operationId: 'estimateGeneration',
  method: 'POST',
  path: '/v1/videos/generations/estimate',
  summary: 'Estimate the cost of a task',
  description:
    'Takes the body of a create and checks it the same way. Fetches and reserves nothing.',
  auth: 'key',
  permission: 'videos:create',
  extension: true,
  body: CreateGenerationRequest,
  materialBody: 'json',
  requestExamples: generationExamples,
  responses: {
    200: {
      description: 'The credits that create would reserve.',
      schema: EstimateResponse,
      headers: ['vidgen-ignored'],
      examples: { estimate: ['An estimate', { credits: 40 }] },
    },
  },
  async handler(services, request) {
    const { request: checked, model, ignored } = checkCreateRequest(services, request);
    const { generation } = checked;
    const { accountId } = request.identity!;
    const { credits } = await estimatePrice(services, { accountId, generation, model });
    return { body: { credits }, headers: ignoredHeader(ignored) };
  },
});

export const generationEndpoints = [createGeneration, estimateGeneration];
