/**
 * Creates a video task (docs/spec.md 4.1): from the body to a durable task with reserved credits.
 * The order of the checks is fixed (Decisions, "Order of checks"), so that a request that breaks
 * two rules always gets the same error.
 */
import assert from 'node:assert/strict';
import { ApiError } from '@vidgen/contract/api-error.ts';
import {
  CreateGenerationRequest,
  CreateGenerationResponse,
} from '@vidgen/contract/create-generation.ts';
import {
  type AcceptedTask,
  acceptedOrThrow,
  type CreateTask,
  idempotencyKeyReused,
  repeatedTaskErased,
} from '../../lifecycle/create/accept-decision.ts';
import { findIdempotencyKeys } from '../../tasks/idempotency.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { taskId as sampleTaskId } from '../http/samples.ts';
import { checkCreateRequest, ignoredHeader } from './check-create-request.ts';
import { type CreateOrigin, toCreateTask } from './create-from-request.ts';
import { hasMaterials, probeMaterials, requireMinimumBalance } from './probe-create-materials.ts';
import { generationExamples } from './samples.ts';

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
      headers: ['vidgen-adopted', 'vidgen-ignored'],
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
  const create = toCreateTask(services, request, { ...checked, ...origin });
  const accepting = acceptOnce(services, create, { request, creditsMax });
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
};

/** Accepts the create, or returns the task of the create that it repeats. */
async function acceptOnce(
  services: ApiServices,
  create: CreateTask,
  options: AcceptOptions,
): Promise<AcceptedCreate> {
  const { files, identity } = options.request;
  assert(identity);
  if (!hasMaterials(create.generation)) return await acceptOrThrow(services, create, options);
  const previous = await findPreviousResponse(services, create);
  if (previous) return previous;
  await requireMinimumBalance(services, create);
  await files.store();
  const probed = await probeMaterials(services, create, identity);
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
  new ApiError(
    'invalid_request',
    `This task costs ${credits} credits and max_credits is ${creditsMax}; raise it, or ask for a ` +
      'shorter video or a lower resolution.',
  );
