/** Creates a task as a person: like create, with a key that belongs to the playground. */
import {
  CreateGenerationRequest,
  CreateGenerationResponse,
} from '@vidgen/contract/create-generation.ts';
import { PlaygroundQuery } from '@vidgen/contract/playground.ts';
import { getAccount } from '../../accounts/account.ts';
import { ensurePlaygroundKey } from '../../accounts/keys/api-key.ts';
import { endpoint } from '../http/endpoint.ts';
import { enforceRateLimit } from '../http/enforce-rate-limit.ts';
import { parseQuery } from '../http/parse-request.ts';
import { taskId } from '../http/samples.ts';
import { createTask } from '../v1/create-generation.ts';
import { generationExamples } from '../v1/samples.ts';

export const createInPlayground = endpoint({
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
