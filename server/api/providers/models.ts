/** The models of the installation: everyone signed in reads them, administrators declare them. */

import {
  ChangeModelRequest,
  DeclareModelRequest,
  InstalledModel,
  InstalledModelsResponse,
  ModelNameParams,
} from '@vidgen/contract/admin-models.ts';
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { type DeclaredModel, ModelDeclaration } from '@vidgen/contract/model-declaration.ts';
import { type KeyMode, keyModes, type ModelName } from '@vidgen/contract/models.ts';
import type { CustomerPrices } from '@vidgen/contract/price.ts';
import { formatProblems, problemsOf } from '@vidgen/contract/problem.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { withPrices } from '../../catalog/customer-prices.ts';
import type { Model } from '../../catalog/models.ts';
import {
  deleteModel,
  insertModel,
  requireModel,
  updateModel,
} from '../../catalog/stored-models.ts';
import { modelView } from '../../catalog/view.ts';
import { modelRouteProblems } from '../../lifecycle/checks/model-routes.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { ApiServices } from '../http/handler.ts';

const declarationSample = {
  generationTypes: ['text-to-video', 'image-to-video'],
  seconds: { min: 3, max: 15, default: 5 },
  resolutions: { '720p': { perSecond: 16.8, perSecondSilent: 11.2 }, '1080p': { perSecond: 22.4 } },
  aspectRatios: ['16:9', '9:16', '1:1'],
  frames: { last: true },
} satisfies DeclaredModel;

const ofContract = { source: 'contract', declaration: null, route: ['ark'], problems: [] } as const;
const contractSamples = createCatalog()
  .list()
  .map((model) => ({ ...modelView(model), ...ofContract }));
const declaredSample = {
  ...contractSamples[0]!,
  id: 'kling-3',
  source: 'dashboard',
  declaration: declarationSample,
  route: ['kling'],
};

const listModels = endpoint({
  operationId: 'listInstalledModels',
  method: 'GET',
  path: '/admin/models',
  summary: 'List models of the installation',
  description: 'The models that are served in either mode, all on one page.',
  auth: 'signed-in',
  responses: {
    200: jsonResponse('The models.', InstalledModelsResponse, {
      defaults: [
        'At the default prices, without a provider for one model',
        {
          items: contractSamples,
          next_cursor: null,
          live_previews: ['vidgen-2-0-mini'],
          live_unserved: [],
        },
      ],
    }),
  },
  handler: async (services, { isAdmin }) => ({ body: installedModels(services, { isAdmin }) }),
});

const listAccountModels = endpoint({
  operationId: 'listAccountModels',
  method: 'GET',
  path: '/admin/accounts/:id/models',
  summary: 'List models at the prices of an account',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: jsonResponse('The models.', InstalledModelsResponse, {
      defaults: [
        'At the default prices',
        { items: contractSamples, next_cursor: null, live_previews: [], live_unserved: [] },
      ],
    }),
  },
  async handler(services, { params, isAdmin }) {
    const { prices } = await getAccount(services.lifecycle.db, params.id!);
    return { body: installedModels(services, { isAdmin, prices }) };
  },
});

type Shown = { readonly isAdmin: boolean; readonly prices?: CustomerPrices | null };

function installedModels(services: ApiServices, shown: Shown): InstalledModelsResponse {
  const { providers, catalog } = services.lifecycle;
  const isServed = (name: ModelName, mode: KeyMode) =>
    providers.routeFor(name, { mode, demo: false }).length > 0;
  const served = catalog.list().filter(({ name }) => keyModes.some((mode) => isServed(name, mode)));
  return {
    items: served.map((model) => installedView(services, model, shown)),
    next_cursor: null,
    live_previews: providers.modelNames().filter((model) => providers.isPreviewed(model)),
    live_unserved: served.map(({ name }) => name).filter((name) => !isServed(name, 'live')),
  };
}

function installedView(
  { lifecycle: { providers } }: ApiServices,
  model: Model,
  { isAdmin, prices }: Shown,
): InstalledModel {
  return {
    ...modelView(withPrices(model, prices)),
    source: model.source,
    declaration: model.declaration,
    route: isAdmin ? [...providers.routeNames(model.name)] : [],
    problems: isAdmin ? modelRouteProblems(model, providers) : [],
  };
}

const viewOf = (services: ApiServices, name: ModelName): InstalledModel =>
  installedView(services, services.lifecycle.catalog.find(name)!, { isAdmin: true });

const declareModel = endpoint({
  operationId: 'declareModel',
  method: 'POST',
  path: '/admin/models',
  summary: 'Declare a model',
  description:
    'Its limits and prices apply at once, in every format. It is sold when a route names a ' +
    'provider; without any provider at all, the built-in preview makes it.',
  auth: 'admin',
  body: DeclareModelRequest,
  requestExamples: { kling: ['Kling 3', { name: 'kling-3', ...declarationSample }] },
  responses: {
    201: jsonResponse('The model.', InstalledModel, { declared: ['Declared', declaredSample] }),
  },
  errors: { invalid_request: 'seconds must have min <= default <= max' },
  async handler(services, { body, actor, transaction }) {
    const { storedModels, lifecycle } = services;
    const { name, ...declaration } = body;
    requireValid(declaration);
    if (lifecycle.catalog.isReserved(name)) {
      throw invalidRequest(`The name ${name} is taken; choose another.`);
    }
    await transaction(async (tx) => {
      await insertModel(tx, { name, declaration, createdBy: actor });
      const detail = { declaration };
      await recordAudit(tx, { actor, action: 'model.declare', subject: name, detail });
    });
    await storedModels.refresh();
    return { status: 201, body: viewOf(services, name) };
  },
});

const changeModel = endpoint({
  operationId: 'changeModel',
  method: 'PATCH',
  path: '/admin/models/:name',
  summary: 'Change a declared model',
  description:
    'Replaces the fields that are sent; null removes one. Tasks that exist keep their price.',
  auth: 'admin',
  params: ModelNameParams,
  body: ChangeModelRequest,
  requestExamples: {
    price: ['Another price', { resolutions: { '720p': { perSecond: 18 } } }],
  },
  responses: {
    200: jsonResponse('The model.', InstalledModel, { changed: ['Changed', declaredSample] }),
  },
  errors: { not_found: 'No model with this name is declared in the dashboard.' },
  async handler(services, { params, body, actor, transaction }) {
    const name = params.name!;
    await transaction(async (tx) => {
      const before = await requireModel(tx, name);
      const kept = Object.entries({ ...before, ...body }).filter(([, value]) => value !== null);
      const declaration = Object.fromEntries(kept) as DeclaredModel;
      requireValid(declaration);
      await updateModel(tx, { name, declaration });
      const detail = { before, declaration };
      await recordAudit(tx, { actor, action: 'model.change', subject: name, detail });
    });
    await services.storedModels.refresh();
    return { body: viewOf(services, name) };
  },
});

const removeModel = endpoint({
  operationId: 'removeModel',
  method: 'DELETE',
  path: '/admin/models/:name',
  summary: 'Remove a declared model',
  description: 'It takes no new tasks; those that exist are finished at their price.',
  auth: 'admin',
  params: ModelNameParams,
  responses: { 204: { description: 'Removed.' } },
  errors: { not_found: 'No model with this name is declared in the dashboard.' },
  async handler({ storedModels }, { params, actor, transaction }) {
    const name = params.name!;
    await transaction(async (tx) => {
      await deleteModel(tx, name);
      await recordAudit(tx, { actor, action: 'model.remove', subject: name });
    });
    await storedModels.refresh();
    return { status: 204 };
  },
});

function requireValid(declaration: DeclaredModel): void {
  const problems = problemsOf(ModelDeclaration, declaration);
  if (problems.length > 0) throw invalidRequest(formatProblems(problems));
}

export const modelEndpoints = [
  listModels,
  listAccountModels,
  declareModel,
  changeModel,
  removeModel,
];
