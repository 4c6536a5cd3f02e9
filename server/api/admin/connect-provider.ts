/** Stores a provider with its key, encrypted. It gets no tasks until a route names it. */
import { ConnectProviderRequest, ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { insertCredential, insertProvider } from '../../providers/connected/store.ts';
import { previewNames } from '../../providers/preview/preview.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { providerHealth } from './provider-samples.ts';
import { listProviderViews } from './provider-views.ts';

export const connectProvider = endpoint({
  parsesItself: true,
  operationId: 'connectProvider',
  method: 'POST',
  path: '/admin/providers',
  summary: 'Connect a provider',
  description:
    'The key is encrypted and never returned. The provider gets no tasks until a route names it. ' +
    'Its base URL can be in a private network; link-local addresses are refused.',
  auth: 'admin',
  requiresConfirmation: true,
  body: ConnectProviderRequest,
  requestExamples: {
    fal: [
      'fal, for one model',
      {
        name: 'fal',
        kind: 'fal',
        api_key: 'key-id:key-secret-of-your-account',
        models: { 'vidgen-2-0': 'bytedance/seedance-2.0' },
      },
    ],
  },
  responses: {
    201: {
      description: 'The provider.',
      schema: ProviderHealth,
      examples: { connected: ['Not in a route yet', { ...providerHealth, models: [] }] },
    },
  },
  errors: { invalid_request: 'api_key is required for this kind' },
  async handler(services, { body, actor, transaction }) {
    const { connections, fileProviders } = services;
    const { name, api_key: apiKey, ...settings } = parseBody(ConnectProviderRequest, body);
    if (name in fileProviders || previewNames.some((one) => one === name)) {
      throw new ApiError('invalid_request', `The name ${name} is taken; choose another.`);
    }
    await connections.requireValid(name, settings, apiKey !== undefined);
    await transaction(async (tx) => {
      await insertProvider(tx, { name, settings, createdBy: actor });
      if (apiKey !== undefined) await insertCredential(tx, connections.sealKey(name, apiKey));
      const { kind, preset, base_url } = settings;
      const detail = { kind, preset, base_url, models: Object.keys(settings.models ?? {}) };
      await recordAudit(tx, { actor, action: 'provider.connect', subject: name, detail });
    });
    await connections.refresh();
    const views = await listProviderViews(services);
    return { status: 201, body: views.find((view) => view.name === name) };
  },
});
