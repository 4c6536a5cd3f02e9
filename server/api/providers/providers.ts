/** Providers of videos: connect and remove them, replace their keys, and set routes. */
import {
  ChangeProviderRequest,
  ConnectProviderRequest,
  ListProvidersResponse,
  ProviderConnection,
  ProviderHealth,
  ProviderParams,
  ProviderRoute,
  ReplaceProviderKeyRequest,
  RouteParams,
  SetRouteRequest,
} from '@vidgen/contract/admin-providers.ts';
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import {
  findSettings,
  hasCredential,
  insertCredential,
  insertProvider,
  markRemoved,
  notConnected,
  replaceRoute,
  requireConnected,
  type StoredSettings,
  updateSettings,
} from '../../providers/connected/store.ts';
import { isPreview, previewNames } from '../../providers/preview/preview.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { ApiServices } from '../http/handler.ts';
import { createdAt } from '../http/samples.ts';
import { listProviderViews, routeViews } from './provider-view.ts';

const providerSample = {
  name: 'ark',
  source: 'dashboard',
  kind: 'modelark',
  base_url: 'https://ark.ap-southeast.bytepluses.com/api/v3',
  key_last_four: '9xTa',
  state: 'active',
  serves: ['vidgen-2-5', 'vidgen-2-0'],
  models: ['vidgen-2-5', 'vidgen-2-0'],
  breaker: 'closed',
  seconds_until_trial: 0,
  open_tasks: 3,
  concurrency: 10,
  last_30_days: {
    attempts: 1840,
    completed: 1802,
    failed: 21,
    median_seconds: 74.2,
    cost_per_second: { amount: 0.168, currency: 'USD' },
  },
  starts: { accepted: 128, refused: 2, throttled: 5, unknown: 1 },
  status_troubles: 4,
  start_ms: { p50: 420, p95: 1800 },
  last_trouble: { detail: 'HTTP 500 InternalServiceError', at: createdAt },
};

const routeSample = {
  model: 'vidgen-2-5',
  providers: ['ark', 'fal'],
  steps: [
    { providers: ['ark'], by: null },
    { providers: ['fal'], by: null },
  ],
  source: 'dashboard',
};

const listProviders = endpoint({
  operationId: 'listProviders',
  method: 'GET',
  path: '/admin/providers',
  summary: 'List providers',
  description:
    'Measured by the process that handles the request; `open_tasks` and `last_30_days` count all ' +
    'processes.',
  auth: 'admin',
  responses: {
    200: jsonResponse('The providers, and the route of each model.', ListProvidersResponse, {
      one: ['One provider', { items: [providerSample], next_cursor: null, routes: [routeSample] }],
    }),
  },
  async handler(services) {
    const items = await listProviderViews(services);
    const body: ListProvidersResponse = { items, next_cursor: null, routes: routeViews(services) };
    return { body };
  },
});

const connectProvider = endpoint({
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
    201: jsonResponse('The provider.', ProviderHealth, {
      connected: ['Not in a route yet', { ...providerSample, models: [] }],
    }),
  },
  errors: { invalid_request: 'api_key is required for this kind' },
  async handler(services, { body, actor, transaction }) {
    const { connections, fileProviders } = services;
    const { name, api_key: apiKey, dial, ...settings } = body;
    if (name in fileProviders || isPreview(name)) {
      throw invalidRequest(`The name ${name} is taken; choose another.`);
    }
    await connections.requireValid(name, settings, apiKey !== undefined);
    if (dial) await connections.requireAnswer(settings);
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

const connectionSample = {
  name: 'engine',
  kind: 'openai-videos',
  dialect: 'vllm',
  base_url: 'http://10.0.0.7:8000/v1',
  models: { 'vidgen-2-0': 'Wan-AI/Wan2.2' },
} as const;

const getProvider = endpoint({
  operationId: 'getProvider',
  method: 'GET',
  path: '/admin/providers/:name',
  summary: 'Get the connection of a provider',
  description: 'Of one that was connected in the dashboard, without its key.',
  auth: 'admin',
  params: ProviderParams,
  responses: {
    200: jsonResponse('Its connection.', ProviderConnection, {
      connection: ['A server of your own', connectionSample],
    }),
  },
  errors: { not_found: 'No provider with this name is connected in the dashboard.' },
  async handler({ lifecycle: { db } }, { params }) {
    const name = params.name!;
    const settings = await findSettings(db, name);
    if (!settings) throw notConnected();
    const body: ProviderConnection = { name, ...settings };
    return { body };
  },
});

const changeProvider = endpoint({
  operationId: 'changeProvider',
  method: 'PATCH',
  path: '/admin/providers/:name',
  summary: 'Change the connection of a provider',
  description:
    'Replaces the fields that are sent, and keeps the key. Tasks in progress are finished with ' +
    'the settings that they were started with. Costs are those of the time when an attempt ends.',
  auth: 'admin',
  // The key is sent to the new address.
  requiresConfirmation: true,
  params: ProviderParams,
  body: ChangeProviderRequest,
  requestExamples: { address: ['Another address', { base_url: 'http://10.0.0.8:8000/v1' }] },
  responses: {
    200: jsonResponse('The connection as it is now.', ProviderConnection, {
      connection: ['Changed', { ...connectionSample, base_url: 'http://10.0.0.8:8000/v1' }],
    }),
  },
  errors: {
    invalid_request: 'base_url must be an http or https URL',
    not_found: 'No provider with this name is connected in the dashboard.',
  },
  async handler({ connections }, { params, body, actor, transaction }) {
    const { dial, ...changes } = body;
    const name = params.name!;
    if (dial) await connections.requireAnswer(changes);
    const settings = await transaction(async (tx) => {
      const before = await requireConnected(tx, name);
      const { concurrency, costs, ...changed } = { ...before, ...changes };
      const optional = { ...(concurrency ? { concurrency } : {}), ...(costs ? { costs } : {}) };
      const after: StoredSettings = { ...changed, ...optional };
      await connections.requireValid(name, after, await hasCredential(tx, name));
      await updateSettings(tx, { name, settings: after });
      const detail = { base_url: after.base_url, models: modelsOf(after), costs: changes.costs };
      await recordAudit(tx, { actor, action: 'provider.change', subject: name, detail });
      return after;
    });
    await connections.refresh();
    return { body: { name, ...settings } };
  },
});

const modelsOf = ({ models, workflows }: StoredSettings) => Object.keys(models ?? workflows ?? {});

const replaceProviderKey = endpoint({
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
    200: jsonResponse('The provider.', ProviderHealth, {
      provider: ['With the new key', providerSample],
    }),
  },
  errors: { not_found: 'No provider with this name is connected in the dashboard.' },
  async handler(services, { params, body, actor, transaction }) {
    const { connections } = services;
    const { api_key: apiKey } = body;
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

const removeProvider = endpoint({
  operationId: 'removeProvider',
  method: 'DELETE',
  path: '/admin/providers/:name',
  summary: 'Remove a provider',
  description:
    'Removes it from every route. Its running tasks are finished; then its key is deleted.',
  auth: 'admin',
  params: ProviderParams,
  responses: { 204: { description: 'Removed.' } },
  errors: { not_found: 'No provider with this name is connected in the dashboard.' },
  async handler({ connections }, { params, actor, transaction }) {
    const name = params.name!;
    await transaction(async (tx) => {
      await markRemoved(tx, name);
      await recordAudit(tx, { actor, action: 'provider.remove', subject: name });
    });
    await connections.refresh();
    return { status: 204 };
  },
});

const setProviderRoute = endpoint({
  operationId: 'setProviderRoute',
  method: 'POST',
  path: '/admin/routes/:model',
  summary: 'Set the route of a model',
  description:
    'The next provider is tried only when the one before has proved that it did not accept the ' +
    'task. A route in vidgen.config.ts cannot be changed here.',
  auth: 'admin',
  params: RouteParams,
  body: SetRouteRequest,
  requestExamples: { two: ['With a fallback', { providers: ['ark', 'fal'] }] },
  responses: {
    200: jsonResponse('The route.', ProviderRoute, { route: ['With a fallback', routeSample] }),
  },
  errors: {
    invalid_request: 'The route has "fal" twice.',
    not_found: 'No model found with this name.',
  },
  async handler(services, { params, body, actor, transaction }) {
    const { connections } = services;
    const { providers } = body;
    const model = services.lifecycle.catalog.find(params.model!)?.name;
    if (!model) throw notFound('No model found with this name.');
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
  if (registry.routeSource(model) === 'file') {
    throw invalidRequest(`The route of ${model} is in vidgen.config.ts; change it there.`);
  }
  const repeated = providers.find((name, at) => providers.indexOf(name) !== at);
  if (repeated !== undefined) throw invalidRequest(`The route has ${formatValue(repeated)} twice.`);
  for (const name of providers) {
    const provider = name === previewNames[1] ? undefined : registry.get(name);
    if (!provider) throw invalidRequest(`The provider ${formatValue(name)} is not connected.`);
    if (!(provider.models?.includes(model) ?? true)) {
      throw invalidRequest(`The provider ${name} does not serve ${model}.`);
    }
  }
}

export const providerEndpoints = [
  listProviders,
  connectProvider,
  getProvider,
  changeProvider,
  replaceProviderKey,
  removeProvider,
];
export const routeEndpoints = [setProviderRoute];
