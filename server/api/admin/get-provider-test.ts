/** Returns a test video as it is now. Polls the provider at most every two seconds. */
import { ProviderTest, ProviderTestParams } from '@vidgen/contract/admin-providers.ts';
import { readProviderTest } from '../../lifecycle/submit/send-test-video.ts';
import { endpoint } from '../http/endpoint.ts';
import { providerTest } from './provider-samples.ts';
import { providerTestView } from './provider-views.ts';

export const getProviderTest = endpoint({
  operationId: 'getProviderTest',
  method: 'GET',
  path: '/admin/provider-tests/:id',
  summary: 'Get a test video',
  description: 'Each call polls the provider; a test that is not read makes no progress.',
  auth: 'admin',
  params: ProviderTestParams,
  responses: {
    200: {
      description: 'The test.',
      schema: ProviderTest,
      examples: { running: ['Under way', providerTest] },
    },
  },
  errors: { not_found: 'No provider test found with this ID.' },
  async handler({ lifecycle, uploads }, { params }) {
    const test = await readProviderTest(lifecycle, { id: params.id!, uploads });
    return { body: providerTestView(test) };
  },
});
