/** Sets which providers make the live tasks of a model, and in which order they are tried. */
import { ProviderRoute, RouteParams, SetRouteRequest } from '@vidgen/contract/admin-providers.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { type ModelName, modelNames } from '@vidgen/contract/models.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { replaceRoute, requireConnected } from '../../providers/connected/store.ts';
import { previewNames } from '../../providers/preview/preview.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiServices } from '../http/handler.ts';
import { parseBody } from '../http/parse-request.ts';
import { providerRoute } from './provider-samples.ts';
import { routeViews } from './provider-views.ts';

export const setProviderRoute = endpoint({
  parsesItself: true,
  operationId: 'setProviderRoute',
  method: 'POST',
  path: '/admin/routes/:model',
  summary: 'Set the route of a model',
  description:
    'The next provider is tried only when the one before has proved that it did not accept the ' +
    'task. A route in vidgen.config.ts cannot be changed here.',
  auth: 'admin',
  requiresConfirmation: true,
  params: RouteParams,
  body: SetRouteRequest,
  requestExamples: { two: ['With a fallback', { providers: ['ark', 'fal'] }] },
  responses: {
    200: {
      description: 'The route.',
      schema: ProviderRoute,
      examples: { route: ['With a fallback', providerRoute] },
    },
  },
  errors: {
    invalid_request: 'The route has fal twice.',
    not_found: 'No model found with this name.',
  },
  async handler(services, { params, body, actor, transaction }) {
    const { connections } = services;
    const { providers } = parseBody(SetRouteRequest, body);
    const model = modelNames.find((name) => name === params.model);
    if (!model) throw new ApiError('not_found', 'No model found with this name.');
    await connections.refresh();
    requireRoutable(services, { model, providers });
    const connected = new Set(connections.list().map(({ name }) => name));
    await transaction(async (tx) => {
      // Locks them, so that none is removed before the route is committed.
      for (const name of providers.toSorted()) {
        if (connected.has(name) && !(name in services.fileProviders)) {
          await requireConnected(tx, name);
        }
      }
      await replaceRoute(tx, { model, providers });
      const detail = { providers };
      await recordAudit(tx, { actor, action: 'route.set', subject: model, detail });
    });
    await connections.refresh();
    return { body: routeViews(services).find((route) => route.model === model) };
  },
});

function requireRoutable(
  { lifecycle }: ApiServices,
  { model, providers }: { readonly model: ModelName; readonly providers: readonly string[] },
): void {
  const { providers: registry } = lifecycle;
  const invalid = (message: string) => new ApiError('invalid_request', message);
  if (registry.routeSource(model) === 'file') {
    throw invalid(`The route of ${model} is in vidgen.config.ts; change it there.`);
  }
  const repeated = providers.find((name, at) => providers.indexOf(name) !== at);
  if (repeated !== undefined) throw invalid(`The route has ${repeated} twice.`);
  for (const name of providers) {
    const provider = name === previewNames[1] ? undefined : registry.get(name);
    if (!provider) throw invalid(`The provider ${name} is not connected.`);
    if (!(provider.models?.includes(model) ?? true)) {
      throw invalid(`The provider ${name} does not serve ${model}.`);
    }
  }
}
