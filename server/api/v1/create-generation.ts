/**
 * Creates a video task (docs/spec.md 4.1): from the body to a durable task with reserved credits.
 * The order of the checks is fixed (Decisions, "Order of checks"), so that a request that breaks
 * two rules always gets the same error.
 */
import assert from 'node:assert/strict';
import {
  CreateGenerationRequest,
  CreateGenerationResponse,
  type Generation,
} from '@vidgen/contract/create-generation.ts';
import type { Metadata } from '@vidgen/contract/metadata.ts';
import { formatProblems } from '@vidgen/contract/problem.ts';
import { findAccount } from '../../accounts/account.ts';
import type { KeyIdentity } from '../../accounts/api-key.ts';
import { ApiError } from '../../api-error.ts';
import { checkGeneration } from '../../catalog/check.ts';
import { checkMaterialLengths } from '../../catalog/material-lengths.ts';
import { longestSeconds, minimumPrice, pricedSeconds, priceOf } from '../../catalog/price.ts';
import { findBalances } from '../../ledger/ledger.ts';
import {
  type AcceptedTask,
  acceptedOrThrow,
  type CreateTask,
  type DecidedOutcome,
  idempotencyKeyReused,
  insufficientCredits,
} from '../../lifecycle/accept.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import type { Repetition } from '../../lifecycle/repeated-creates.ts';
import { forcedOutcome } from '../../providers/preview/preview.ts';
import { findIdempotencyKeys, requestDigest } from '../../tasks/idempotency.ts';
import type { Task } from '../../tasks/task.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { taskId } from '../http/samples.ts';
import { generationExamples } from './samples.ts';

/** Decisions, "Test keys": `[test:timeout]` ends after 5 s. */
const forcedTimeoutSeconds = 5;

export const createGeneration = endpoint({
  operationId: 'createGeneration',
  method: 'POST',
  path: '/v1/videos/generations',
  summary: 'Create a video task',
  description:
    'Accepts the task, reserves its credits, and answers at once. Poll the task, or give a ' +
    '`callback_url`. Materials are looked at before anything is reserved. A request that is ' +
    'repeated with the same `Idempotency-Key` gets the first answer again and reserves nothing. ' +
    'Without a key, so does one marked as a retry (`x-stainless-retry-count`), and the next one ' +
    'after a response that was not received, for ten minutes.',
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
      examples: { accepted: ['Accepted', { taskId, credits: 40 }] },
    },
  },
  errors: { insufficient_credits: true },
  handler: (services, request) => createTask(services, request, { createdBy: null }),
});

type CreateOrigin = Pick<CreateTask, 'createdBy' | 'reauthorize' | 'dialect'>;

/**
 * `createdBy` is the person who used the playground, and `reauthorize` judges that person.
 * `creditsMax` rejects a task that costs more, before anything is reserved.
 */
export async function createTask(
  services: ApiServices,
  request: ApiRequest,
  { creditsMax, ...origin }: CreateOrigin & { readonly creditsMax?: number | undefined },
): Promise<ApiResponse> {
  assert(request.identity);
  const { ignored, ...checked } = checkCreateRequest(services, request);
  const create = toCreateTask(services, { request, ...checked, ...origin });
  const accepted = acceptOnce(services, create, { request, creditsMax });
  const { repetition } = create;
  if (repetition) {
    const acceptedId = async () => (await accepted).taskId;
    request.onUndelivered(() => services.undelivered.add(repetition, acceptedId()));
  }
  const { isAdopted, ...body } = await accepted;
  if (isAdopted) request.setHeaders({ 'vidgen-adopted': '1' });
  return { body, headers: ignoredHeader(ignored) };
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
  const isProbed = hasMaterials(create.generation);
  const previous = isProbed ? await findPreviousResponse(services, create) : null;
  if (previous) return previous;
  if (isProbed) await requireMinimumBalance(services, create);
  if (isProbed) await files.store();
  const probed = isProbed ? await probeMaterials(services, create, identity) : create;
  return await acceptOrThrow(services, probed, options);
}

/** Waits for identical creates of clients that have gone: one of their tasks may be adopted. */
async function acceptOrThrow(
  { accept, undelivered }: ApiServices,
  create: CreateTask,
  { request: { files }, creditsMax = create.credits }: AcceptOptions,
): Promise<AcceptedCreate> {
  if (create.credits > creditsMax) throw tooExpensive(create, creditsMax);
  if (create.repetition) await undelivered.whenNoted(create.repetition);
  // Kept before the commit: if its outcome is lost, there may be a task that needs the files.
  files.keep(true);
  const outcome = await accept(create);
  files.keep(outcome.outcome === 'accepted');
  assert(outcome.outcome !== 'not_repeated');
  return toAcceptedCreate(outcome, create);
}

const toAcceptedCreate = (outcome: DecidedOutcome, { credits }: CreateTask): AcceptedCreate => ({
  ...acceptedOrThrow(outcome, credits),
  isAdopted: outcome.outcome === 'adopted',
});

/** Checks what follows from the body alone: shape, rules, and whether a provider supports it. */
export function checkCreateRequest(
  { lifecycle }: ApiServices,
  { body, identity }: Pick<ApiRequest, 'body' | 'identity'>,
) {
  const checked = checkGeneration(body, {
    catalog: lifecycle.catalog,
    checkUrl: (text, kind) => lifecycle.egress.check(text, kind),
  });
  if (!checked.ok) throw new ApiError('invalid_request', checked.message);
  assert(identity);
  const { model } = checked.generation;
  if (lifecycle.providers.routeFor(model, identity).length === 0) {
    throw new ApiError('invalid_request', `model ${model} is not served by this installation`);
  }
  const unsupportedReason = lifecycle.providers.unsupportedReason(checked.generation, identity);
  if (unsupportedReason !== null) {
    throw new ApiError('invalid_request', `${unsupportedReason} by any configured provider`);
  }
  return checked;
}

function toCreateTask(
  { lifecycle, uploads }: ApiServices,
  options: {
    request: ApiRequest;
    generation: Generation;
    callbackUrl: string | null;
    metadata: Metadata | null;
  } & CreateOrigin,
): CreateTask {
  const { request, generation, callbackUrl, metadata, ...origin } = options;
  const { accountId, keyId, mode } = request.identity as KeyIdentity;
  const key = idempotencyKeyOf(request);
  const content = byContent(generation, uploads);
  const digest = () => requestDigest(content, callbackUrl, metadata);
  const forced = mode === 'test' ? forcedOutcome(generation.prompt) : null;
  return {
    accountId,
    keyId,
    mode,
    generation,
    callbackUrl,
    metadata,
    credits: priceOf(generation, lifecycle.catalog.prices),
    timeoutSeconds:
      forced === 'timeout' ? forcedTimeoutSeconds : lifecycle.settings.taskTimeoutSeconds,
    idempotency: key === null ? null : { key, requestDigest: digest() },
    // The people of an account share the key of the playground, whose page sends idempotency keys.
    repetition: key === null && origin.createdBy === null ? repetitionOf(request, digest) : null,
    requestId: request.requestId,
    ...origin,
  };
}

/** The digest of the request that created a task, if it named another URL than the account's. */
export async function digestOfTask(
  { lifecycle: { db }, uploads }: Pick<ApiServices, 'lifecycle' | 'uploads'>,
  { accountId, generation, callbackUrl, metadata }: Task,
): Promise<string> {
  const account = await findAccount(db, accountId);
  const named = callbackUrl === account?.webhookUrl ? null : callbackUrl;
  return requestDigest(byContent(generation, uploads), named, metadata);
}

/** The generation with uploads named by their content, for the digest of the request. */
function byContent(generation: Generation, { contentName }: ApiServices['uploads']): Generation {
  const { imageUrls, videoUrls, audioUrls } = generation;
  return {
    ...generation,
    imageUrls: imageUrls.map(contentName),
    videoUrls: videoUrls.map(contentName),
    audioUrls: audioUrls.map(contentName),
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
function repetitionOf(request: ApiRequest, digestRequest: () => string): Repetition {
  let digest: string | undefined;
  return {
    keyId: request.identity!.keyId,
    get requestDigest() {
      digest ??= digestRequest();
      return digest;
    },
    retryCount: retryCountOf(request),
  };
}

/** What clients generated by Stainless, such as `openai`, send: 0 first, then counted up. */
function retryCountOf({ headers }: ApiRequest): number | null {
  const count = headers['x-stainless-retry-count'];
  return typeof count === 'string' && /^\d{1,3}$/.test(count) ? Number(count) : null;
}

/**
 * Returns the task of an earlier request that this one repeats, before the balance and materials
 * are checked. Without materials there is nothing to check before the reservation, which finds the
 * earlier request itself.
 */
async function findPreviousResponse(
  services: ApiServices,
  create: CreateTask,
): Promise<AcceptedCreate | null> {
  const { lifecycle, accept, undelivered } = services;
  const { idempotency, repetition, accountId, mode } = create;
  if (repetition) {
    await undelivered.whenNoted(repetition);
    if (!repetition.retryCount && !undelivered.has(repetition)) return null;
    const outcome = await accept({ ...create, onlyIfRepeated: true });
    return outcome.outcome === 'not_repeated' ? null : toAcceptedCreate(outcome, create);
  }
  if (!idempotency) return null;
  const { key } = idempotency;
  const [found] = await findIdempotencyKeys(lifecycle.db, [{ accountId, mode, key }]);
  if (!found) return null;
  if (found.requestDigest !== idempotency.requestDigest) throw idempotencyKeyReused();
  return { taskId: found.taskId, credits: found.credits, isAdopted: false };
}

/** Throws before materials are probed if the balance is below the lowest possible price. */
async function requireMinimumBalance(
  { lifecycle }: ApiServices,
  create: CreateTask,
): Promise<void> {
  const required = minimumPrice(create.generation, lifecycle.catalog.prices);
  const balances = await findBalances(lifecycle.db, [create.accountId]);
  const available = balances.get(create.accountId)?.[create.mode].available ?? 0;
  if (available < required) throw insufficientCredits({ required, available });
}

/**
 * Throws if a material is proven invalid. Video editing is priced by the measured length; while our
 * own limits keep it from being measured, there is no price and the client is told to come back.
 */
async function probeMaterials(
  { lifecycle, materials, createLimiter }: ApiServices,
  create: CreateTask,
  identity: KeyIdentity,
): Promise<CreateTask> {
  const { accountId, generation } = create;
  const { problems, measuredVideos, imageFormats, isBusy, ...lengths } = await materials.probe({
    accountId,
    generation,
  });
  const lengthCheck = checkMaterialLengths(generation, lengths);
  const messages = problems.length > 0 ? [formatProblems(problems)] : [];
  if (!lengthCheck.ok) messages.push(lengthCheck.message);
  const untaken = untakenImageMessage(lifecycle, { create, identity, imageFormats });
  if (untaken !== null) messages.push(untaken);
  if (messages.length > 0) throw new ApiError('invalid_request', messages.join('; '));
  if (isBusy) {
    await createLimiter.release(create.keyId);
    throw materialsBusy();
  }
  const inputs = { longestVideoSeconds: longestSeconds(measuredVideos) };
  return {
    ...create,
    credits: priceOf(generation, lifecycle.catalog.prices, inputs),
    pricedSeconds: pricedSeconds(generation, inputs),
    imageFormats,
  };
}

/** An image that could be read, in a format that every provider of the route rejects. */
function untakenImageMessage(
  { providers }: LifecycleContext,
  options: {
    readonly create: CreateTask;
    readonly identity: KeyIdentity;
    readonly imageFormats: readonly (string | null)[];
  },
): string | null {
  const { create, identity, imageFormats } = options;
  const untaken = providers.untakenImage(create.generation.model, identity, imageFormats);
  if (untaken === null) return null;
  const { index, taken } = untaken;
  const rule = `is a ${imageFormats[index]} image, which no provider of this installation takes`;
  return `input.image_urls[${index}] ${rule}; use ${taken.join(', ')}`;
}

const busyRetrySeconds = 5;

const materialsBusy = (): ApiError =>
  new ApiError(
    'rate_limited',
    'Too many requests with materials are being checked at the moment; ' +
      `retry in ${busyRetrySeconds} seconds.`,
    { retryAfter: busyRetrySeconds },
  );

const tooExpensive = ({ credits }: CreateTask, creditsMax: number): ApiError =>
  new ApiError(
    'invalid_request',
    `This task costs ${credits} credits and max_credits is ${creditsMax}; raise it, or ask for a ` +
      'shorter video or a lower resolution.',
  );

const hasMaterials = ({ imageUrls, videoUrls, audioUrls }: Generation): boolean =>
  imageUrls.length + videoUrls.length + audioUrls.length > 0;

export const ignoredHeader = (ignored: readonly string[]): Record<string, string> =>
  ignored.length === 0 ? {} : { 'vidgen-ignored': ignored.join(', ') };
