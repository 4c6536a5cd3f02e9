/**
 * `GET /v1/models` (extension): limits and prices of the models that this key can use; and
 * `GET /admin/models`: of those that people can use in either mode.
 */
import assert from 'node:assert/strict';
import { keyModes, type ModelName } from '@vidgen/contract/models.ts';
import { modelsAnswer } from '../catalog/view.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function listModels(service: Service, { identity }: Asked): Promise<Answer> {
  assert(identity);
  const { providers } = service.lifecycle;
  return servedAnswer(service, (model) => providers.routeFor(model, identity).length > 0);
}

export async function listModelsForPeople(service: Service, _asked: Asked): Promise<Answer> {
  const { providers } = service.lifecycle;
  return servedAnswer(service, (model) =>
    keyModes.some((mode) => providers.routeFor(model, { mode, demo: false }).length > 0),
  );
}

/** A price alone serves nobody: there must be a provider as well (Decisions, "Price"). */
function servedAnswer({ lifecycle }: Service, isServed: (model: ModelName) => boolean): Answer {
  const { items, next_cursor } = modelsAnswer(lifecycle.catalogue);
  return { body: { items: items.filter(({ id }) => isServed(id)), next_cursor } };
}
