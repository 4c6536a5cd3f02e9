/** Checks of a create request that follow from its body alone; estimates run the same ones. */
import assert from 'node:assert/strict';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { checkGeneration } from '../../catalog/check.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';

/** Throws if the body breaks a rule, or no provider of the model supports what it asks for. */
export function checkCreateRequest(
  { lifecycle }: ApiServices,
  { body, identity }: Pick<ApiRequest, 'body' | 'identity'>,
) {
  const checked = checkGeneration(body, {
    catalog: lifecycle.catalog,
    checkUrl: (text, kind) => lifecycle.egress.check(text, kind),
  });
  if (!checked.ok) throw new ApiError('invalid_request', checked.message);
  assert(identity);
  const { generation } = checked.request;
  const { model } = generation;
  if (lifecycle.providers.routeFor(model, identity).length === 0) {
    throw new ApiError('invalid_request', `model ${model} is not served by this installation`);
  }
  const unsupportedReason = lifecycle.providers.unsupportedReason(generation, identity);
  if (unsupportedReason !== null) {
    throw new ApiError('invalid_request', `${unsupportedReason} by any configured provider`);
  }
  return checked;
}

export const ignoredHeader = (ignored: readonly string[]): Record<string, string> =>
  ignored.length === 0 ? {} : { 'vidgen-ignored': ignored.join(', ') };
