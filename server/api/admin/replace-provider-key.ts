/** Replaces the key of a connected provider. Running tasks are finished with the previous key. */
import {
  ProviderHealth,
  ProviderParams,
  ReplaceProviderKeyRequest,
} from '@vidgen/contract/admin-providers.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { insertCredential, requireConnected } from '../../providers/connected/store.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { providerHealth } from './provider-samples.ts';
import { listProviderViews } from './provider-views.ts';

export const replaceProviderKey = endpoint({
  parsesItself: true,
  operationId: 'replaceProviderKey',
  method: 'POST',
  path: '/admin/providers/:name/key',
  summary: 'Replace the key of a provider',
  description: 'New tasks use the new key; running ones are finished with the previous key.',
  auth: 'admin',
  requiresConfirmation: true,
  params: ProviderParams,
  body: ReplaceProviderKeyRequest,
  requestExamples: { key: ['A new key', { api_key: 'the-new-key-of-your-account' }] },
  responses: {
    200: {
      description: 'The provider.',
      schema: ProviderHealth,
      examples: { provider: ['With the new key', providerHealth] },
    },
  },
  errors: { not_found: 'No provider with this name is connected in the dashboard.' },
  async handler(services, { params, body, actor, transaction }) {
    const { connections } = services;
    const { api_key: apiKey } = parseBody(ReplaceProviderKeyRequest, body);
    const name = params.name!;
    await transaction(async (tx) => {
      const settings = await requireConnected(tx, name);
      await connections.requireValid(name, settings, true);
      await insertCredential(tx, connections.sealKey(name, apiKey));
      await recordAudit(tx, { actor, action: 'provider.replace_key', subject: name });
    });
    await connections.refresh();
    const views = await listProviderViews(services);
    return { body: views.find((view) => view.name === name) };
  },
});
