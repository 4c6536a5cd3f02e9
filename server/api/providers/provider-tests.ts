/** Test videos at a connected provider. The provider bills them; no account is charged. */

import {
  ProviderParams,
  ProviderTestParams,
  ProviderTest as ProviderTestView,
  StartProviderTestRequest,
} from '@vidgen/contract/admin-providers.ts';
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { readProviderTest, startProviderTest } from '../../lifecycle/submit/send-test-video.ts';
import type { ProviderTest } from '../../providers/connected/test-store.ts';
import { isPreview } from '../../providers/preview/preview.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { createdAt } from '../http/samples.ts';
import { unixSeconds } from '../http/timestamps.ts';

const testSample = {
  id: 'test_01kbgq5c2m7h4n9p6q3r8s1t5v',
  provider: 'ark',
  model: 'vidgen-2-5',
  resolution: '480p',
  duration: 4,
  state: 'running',
  progress: 0.4,
  detail: null,
  video_url: null,
  created_at: createdAt,
  seconds: 12.5,
};

const startTest = endpoint({
  operationId: 'startProviderTest',
  method: 'POST',
  path: '/admin/providers/:name/tests',
  summary: 'Start a test video',
  description:
    'Sends one short video to the provider, which may charge for it. Poll it until its `state` ' +
    'is `completed` or `failed`. One at a time for each provider.',
  auth: 'admin',
  requiresConfirmation: true,
  params: ProviderParams,
  body: StartProviderTestRequest,
  bodyIsOptional: true,
  requestExamples: { model: ['With one model', { model: 'vidgen-2-0' }] },
  responses: {
    201: jsonResponse('The test.', ProviderTestView, {
      started: ['Started', { ...testSample, progress: null, seconds: 0.4 }],
    }),
  },
  errors: { invalid_request: 'A test of this provider is already running.', not_found: true },
  async handler({ lifecycle, connections }, { params, body, actor, transaction }) {
    const { model } = body;
    const name = params.name!;
    if (!lifecycle.providers.has(name, null)) await connections.refresh();
    const provider = lifecycle.providers.get(name);
    if (!provider || isPreview(name)) throw notFound('No provider found with this name.');
    const served = provider.models ?? [];
    const chosen = model ?? served[0];
    if (chosen === undefined || (served.length > 0 && !served.includes(chosen))) {
      throw invalidRequest(`The provider ${name} does not serve this model.`);
    }
    const test = await startProviderTest(lifecycle, {
      provider,
      model: chosen,
      actor,
      transaction,
      record: (tx, { id }) =>
        recordAudit(tx, {
          actor,
          action: 'provider.test',
          subject: name,
          detail: { test: id, model: chosen },
        }),
    });
    return { status: 201, body: providerTestView(test) };
  },
});

const getTest = endpoint({
  operationId: 'getProviderTest',
  method: 'GET',
  path: '/admin/provider-tests/:id',
  summary: 'Get a test video',
  description: 'Each call polls the provider; a test that is not read makes no progress.',
  auth: 'admin',
  params: ProviderTestParams,
  responses: {
    200: jsonResponse('The test.', ProviderTestView, { running: ['Under way', testSample] }),
  },
  errors: { not_found: 'No provider test found with this ID.' },
  async handler({ lifecycle, uploads }, { params }) {
    const test = await readProviderTest(lifecycle, { id: params.id!, uploads });
    return { body: providerTestView(test) };
  },
});

const providerTestView = (test: ProviderTest): ProviderTestView => ({
  id: test.id,
  provider: test.provider,
  model: test.generation.model,
  resolution: test.generation.resolution,
  duration: test.generation.duration,
  state: test.state,
  progress: test.progress,
  detail: test.detail,
  video_url: test.videoUrl,
  created_at: unixSeconds(test.createdAt),
  seconds: test.seconds,
});

export const providerTestEndpoints = [startTest, getTest];
