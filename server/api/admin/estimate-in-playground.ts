/** Estimates credits and duration of a task, without fetching, reserving or creating anything. */
import { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import { PlaygroundEstimate, PlaygroundQuery } from '@vidgen/contract/playground.ts';
import { getAccount } from '../../accounts/account.ts';
import type { KeyIdentity } from '../../accounts/keys/api-key.ts';
import { findBalances } from '../../ledger/ledger.ts';
import { findSimilarTimes } from '../../tasks/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { checkCreateRequest, estimatePrice, ignoredHeader } from '../v1/create-generation.ts';
import { generationExamples } from '../v1/samples.ts';
import { estimateLimit } from './session-limits.ts';

const time = { p50_seconds: 92.4, p95_seconds: 171, tasks: 200 };

export const estimateInPlayground = endpoint({
  parsesItself: true,
  operationId: 'estimateInPlayground',
  method: 'POST',
  path: '/admin/accounts/:id/generations/estimate',
  summary: 'Estimate cost and time of a task',
  description: 'Fetches and reserves nothing. Times are those of the last 200 similar tasks.',
  auth: 'member',
  role: 'viewer',
  sessionLimit: estimateLimit,
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
          { credits: 40, upper_bound: false, available: 12_840, time },
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
    const { id: accountId, demo } = await getAccount(db, request.params.id!);
    const identity: KeyIdentity = { keyId: '', accountId, mode, permissions: [], demo };
    const checked = checkCreateRequest(services, { body: request.body, identity });
    const {
      ignored,
      request: { generation },
    } = checked;
    const { model, resolution, duration } = generation;
    const [price, balances, times] = await Promise.all([
      estimatePrice(services, { accountId, generation }),
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
