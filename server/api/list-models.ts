/** `GET /v1/models` (extension): limits and prices of the models that this key can use. */
import assert from 'node:assert/strict';
import { modelsAnswer } from '../catalogue/view.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function listModels({ lifecycle }: Service, { identity }: Asked): Promise<Answer> {
  assert(identity);
  const { items, next_cursor } = modelsAnswer(lifecycle.catalogue);
  // A price alone serves nobody: there must be a provider as well (Decisions, "Price").
  const served = items.filter(({ id }) => lifecycle.providers.routeFor(id, identity).length > 0);
  return { body: { items: served, next_cursor } };
}
