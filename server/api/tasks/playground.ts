/** The playground: tasks and uploads of a signed-in person. */

import {
  CreateGenerationRequest,
  CreateGenerationResponse,
} from '@vidgen/contract/create-generation.ts';
import { PlaygroundEstimate, PlaygroundQuery, Upload } from '@vidgen/contract/playground.ts';
import { getAccount } from '../../accounts/account.ts';
import type { KeyIdentity } from '../../accounts/keys/api-key.ts';
import { ensurePlaygroundKey } from '../../accounts/keys/api-key.ts';
import { findBalances } from '../../ledger/ledger.ts';
import { findSimilarTimes } from '../../tasks/usage.ts';
import { getOpenAccount } from '../accounts/account-response.ts';
import { receiveUpload } from '../files/receive-upload.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { enforceRateLimit } from '../http/enforce-rate-limit.ts';
import { parseQuery } from '../http/parse-request.ts';
import { createdAt, taskId } from '../http/samples.ts';
import {
  checkCreateRequest,
  createTask,
  estimatePrice,
  ignoredHeader,
} from '../v1/create-generation.ts';
import { generationExamples } from '../v1/samples.ts';

const createInPlayground = endpoint({
  parsesItself: true,
  operationId: 'createInPlayground',
  method: 'POST',
  path: '/admin/accounts/:id/generations',
  summary: 'Create a video task as a person',
  description:
    'Has the checks, response and rate limit of `POST /v1/videos/generations`. Uses a key that ' +
    'belongs to the playground and is never shown.',
  auth: 'member',
  role: 'developer',
  requiresActiveAccount: true,
  query: PlaygroundQuery,
  body: CreateGenerationRequest,
  materialBody: 'json',
  requestHeaders: ['Idempotency-Key'],
  requestExamples: generationExamples,
  responses: {
    200: {
      description: 'The task is accepted and its credits are reserved.',
      schema: CreateGenerationResponse,
      headers: ['vidgen-ignored'],
      examples: { accepted: ['Accepted', { taskId, credits: 40 }] },
    },
  },
  errors: {
    invalid_request: 'input.duration must be 4 to 30 for vidgen-2-5 (got 45)',
    insufficient_credits: true,
    rate_limited: true,
  },
  async handler(services, request) {
    const { db } = services.lifecycle;
    const { mode } = parseQuery(PlaygroundQuery, request.query);
    const { id: accountId } = await getAccount(db, request.params.id!);
    const identity = await request.transaction((tx) =>
      ensurePlaygroundKey(tx, { accountId, mode }),
    );
    await enforceRateLimit(services, 'create', { ...request, identity });
    const { actor: createdBy, reauthorize } = request;
    return await createTask(services, { ...request, identity }, { createdBy, reauthorize });
  },
});

const timeSample = { p50_seconds: 92.4, p95_seconds: 171, tasks: 200 };

const estimateInPlayground = endpoint({
  parsesItself: true,
  operationId: 'estimateInPlayground',
  method: 'POST',
  path: '/admin/accounts/:id/generations/estimate',
  summary: 'Estimate cost and time of a task',
  description: 'Fetches and reserves nothing. Times are those of the last 200 similar tasks.',
  auth: 'member',
  role: 'viewer',
  // The dashboard asks as a person types.
  sessionLimit: { purpose: 'estimate', perMinute: 240 },
  query: PlaygroundQuery,
  body: CreateGenerationRequest,
  materialBody: 'json',
  requestExamples: generationExamples,
  responses: {
    200: {
      description: 'The estimate.',
      schema: PlaygroundEstimate,
      headers: ['vidgen-ignored'],
      examples: {
        usual: [
          'With a past to tell from',
          { credits: 40, upper_bound: false, available: 12_840, time: timeSample },
        ],
        first: [
          'The first of its kind',
          { credits: 40, upper_bound: false, available: 12_840, time: null },
        ],
      },
    },
  },
  errors: { invalid_request: 'mode must be one of live, test (got "prod")' },
  async handler(services, request) {
    const { db } = services.lifecycle;
    const { mode } = parseQuery(PlaygroundQuery, request.query);
    const { id: accountId, demo, prices } = await getAccount(db, request.params.id!);
    const identity: KeyIdentity = { keyId: '', accountId, mode, permissions: [], demo, prices };
    const checked = checkCreateRequest(services, { body: request.body, identity });
    const {
      ignored,
      model: pricedModel,
      request: { generation },
    } = checked;
    const { model, resolution, duration } = generation;
    const [price, balances, times] = await Promise.all([
      estimatePrice(services, { accountId, generation, model: pricedModel }),
      findBalances(db, [accountId]),
      findSimilarTimes(db, { mode, model, resolution, duration }),
    ]);
    const body: PlaygroundEstimate = {
      credits: price.credits,
      upper_bound: price.isUpperBound,
      available: balances.get(accountId)?.[mode].available ?? 0,
      time: times && {
        p50_seconds: times.p50Seconds,
        p95_seconds: times.p95Seconds,
        tasks: times.tasks,
      },
    };
    return { body, headers: ignoredHeader(ignored) };
  },
});

const sampleUrl =
  'https://videos.example.com/uploads/9f86d081884c7d65-2c26b46b68ffc68ff99b453c1d304134.png' +
  '?expires=1767441600&signature=Jx3…';

/**
 * Stores a person's file, to be used as a material. The bytes are streamed to disk, the format is
 * detected from the first ones, and the file is kept for two days under a signed URL.
 */
const uploadFile = endpoint({
  operationId: 'uploadFile',
  method: 'POST',
  path: '/admin/accounts/:id/uploads',
  summary: 'Upload a file to use as a material',
  description:
    'The body is the file itself. Its type is detected from its first bytes, and it can be as ' +
    'large as a material of that type. It is kept for 48 hours; an account can hold 2 GiB.',
  auth: 'member',
  role: 'developer',
  requiresActiveAccount: true,
  bodyType: 'application/octet-stream',
  rawBody: true,
  streamBody: true,
  responses: {
    201: jsonResponse('The file, with the URL to use as a material.', Upload, {
      picture: [
        'An image',
        { url: sampleUrl, kind: 'image', bytes: 184_320, expires_at: createdAt + 172_800 },
      ],
    }),
  },
  errors: { invalid_request: 'An image must be at most 30 MiB.' },
  async handler(services, request) {
    const { db } = services.lifecycle;
    const account = await getOpenAccount(db, request.params.id!, 'files cannot be uploaded');
    const { upload, format, bytes } = await receiveUpload(services, request, account.id);
    const { url, expiresAtSeconds } = upload;
    const body: Upload = { url, kind: format.media, bytes, expires_at: expiresAtSeconds };
    return { status: 201, body };
  },
});

export const playgroundEndpoints = [createInPlayground, estimateInPlayground, uploadFile];
