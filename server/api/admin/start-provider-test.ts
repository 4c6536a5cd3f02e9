/** Starts a test video at a connected provider. The provider bills it; no account is charged. */
import {
  ProviderParams,
  ProviderTest,
  StartProviderTestRequest,
} from '@vidgen/contract/admin-providers.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { startProviderTest } from '../../lifecycle/submit/send-test-video.ts';
import { previewNames } from '../../providers/preview/preview.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { providerTest } from './provider-samples.ts';
import { providerTestView } from './provider-views.ts';

export const startProviderTestEndpoint = endpoint({
  parsesItself: true,
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
    201: {
      description: 'The test.',
      schema: ProviderTest,
      examples: { started: ['Started', { ...providerTest, progress: null, seconds: 0.4 }] },
    },
  },
  errors: { invalid_request: 'A test of this provider is already running.', not_found: true },
  async handler({ lifecycle, connections }, { params, body, actor, transaction }) {
    const { model } = parseBody(StartProviderTestRequest, body === undefined ? {} : body);
    const name = params.name!;
    if (!lifecycle.providers.has(name, null)) await connections.refresh();
    const provider = lifecycle.providers.get(name);
    if (!provider || previewNames.some((one) => one === name)) {
      throw new ApiError('not_found', 'No provider found with this name.');
    }
    const served = provider.models ?? [];
    const chosen = model ?? served[0];
    if (chosen === undefined || (served.length > 0 && !served.includes(chosen))) {
      throw new ApiError('invalid_request', `The provider ${name} does not serve this model.`);
    }
    const test = await startProviderTest(lifecycle, {
      ...{ provider, model: chosen, actor, transaction },
      record: (tx, { id }) =>
        recordAudit(tx, {
          ...{ actor, action: 'provider.test', subject: name },
          detail: { test: id, model: chosen },
        }),
    });
    return { status: 201, body: providerTestView(test) };
  },
});
