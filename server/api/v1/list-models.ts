/**
 * `GET /v1/models` (extension): limits and prices of the models that this key can use; and
 * `GET /admin/models`: of those that people can use in either mode.
 */
import assert from 'node:assert/strict';
import { keyModes, type ModelName } from '@vidgen/contract/models.ts';
import { modelsView } from '../../catalog/view.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';

export async function listModels(
  services: ApiServices,
  { identity }: ApiRequest,
): Promise<ApiResponse> {
  assert(identity);
  const { providers } = services.lifecycle;
  return servedModelsResponse(services, (model) => providers.routeFor(model, identity).length > 0);
}

export async function listModelsForPeople(
  services: ApiServices,
  _request: ApiRequest,
): Promise<ApiResponse> {
  const { providers } = services.lifecycle;
  return servedModelsResponse(services, (model) =>
    keyModes.some((mode) => providers.routeFor(model, { mode, demo: false }).length > 0),
  );
}

/** A price alone serves nobody: there must be a provider as well (Decisions, "Price"). */
function servedModelsResponse(
  { lifecycle }: ApiServices,
  isServed: (model: ModelName) => boolean,
): ApiResponse {
  const { items, next_cursor } = modelsView(lifecycle.catalog);
  return { body: { items: items.filter(({ id }) => isServed(id)), next_cursor } };
}
