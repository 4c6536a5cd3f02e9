/**
 * `POST /v1/videos/generations`: from a body to a reserved, durable task. The order of the checks
 * is fixed (Decisions, "Order of checks"): a request with two faults always gets the same answer.
 */
import assert from 'node:assert/strict';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { sentenceOf } from '@vidgen/contract/problem.ts';
import type { KeyIdentity } from '../accounts/api-key.ts';
import { checkGeneration } from '../catalog/check.ts';
import { checkMaterialLengths } from '../catalog/material-lengths.ts';
import { leastPriceOf, longestSeconds, priceOf } from '../catalog/price.ts';
import { findBalances } from '../ledger/books.ts';
import { answerOf, type Create, insufficientCredits, keyReused } from '../lifecycle/accept.ts';
import { forcedOutcome } from '../providers/preview/preview.ts';
import { Refusal } from '../refusal.ts';
import { findRemembered, requestDigest } from '../tasks/idempotency.ts';
import type { Answer, Asked, Service } from './service.ts';

/** Decisions, "Test keys": `[test:timeout]` ends after 5 s. */
const forcedTimeoutSeconds = 5;

export async function createGeneration(
  service: Service,
  asked: Asked,
  { createdBy }: { readonly createdBy: string | null } = { createdBy: null },
): Promise<Answer> {
  assert(asked.identity);
  const { generation, callbackUrl, ignored } = check(service, asked);
  const create = describeCreate(service, { asked, generation, callbackUrl, createdBy });
  const headers = ignoredHeader(ignored);
  const earlier = await answeredBefore(service, create);
  if (earlier) return { body: earlier, headers };
  if (hasMaterials(generation)) await requireLeast(service, create);
  const looked = hasMaterials(generation) ? await lookAtMaterials(service, create) : create;
  const outcome = await service.accept(looked);
  return { body: answerOf(outcome, looked.credits), headers };
}

/** `POST /v1/videos/generations/estimate`: the same checks, nothing fetched, nothing reserved. */
export async function estimate(service: Service, asked: Asked): Promise<Answer> {
  const { generation, ignored } = check(service, asked);
  const credits = priceOf(generation, service.lifecycle.catalogue.prices);
  return { body: { credits }, headers: ignoredHeader(ignored) };
}

/** Everything that can be told from the body alone: shape, rules, and whether anyone makes it. */
export function check(
  { lifecycle }: Service,
  { body, identity }: Pick<Asked, 'body' | 'identity'>,
) {
  const checked = checkGeneration(body, {
    catalogue: lifecycle.catalogue,
    checkAddress: (text, kind) => lifecycle.egress.check(text, kind),
  });
  if (!checked.ok) throw new Refusal('invalid_request', checked.message);
  assert(identity);
  const { model } = checked.generation;
  if (lifecycle.providers.routeFor(model, identity).length === 0) {
    throw new Refusal('invalid_request', `model ${model} is not served by this installation`);
  }
  const cannot = lifecycle.providers.cannot(checked.generation, identity);
  if (cannot !== null) {
    throw new Refusal('invalid_request', `${cannot}: no generator of this installation can`);
  }
  return checked;
}

function describeCreate(
  { lifecycle }: Service,
  request: {
    asked: Asked;
    generation: Generation;
    callbackUrl: string | null;
    createdBy: string | null;
  },
): Create {
  const { asked, generation, callbackUrl, createdBy } = request;
  const { accountId, keyId, mode } = asked.identity as KeyIdentity;
  const key = idempotencyKeyOf(asked);
  const forced = mode === 'test' ? forcedOutcome(generation.prompt) : null;
  return {
    accountId,
    keyId,
    mode,
    generation,
    callbackUrl,
    credits: priceOf(generation, lifecycle.catalogue.prices),
    timeoutSeconds:
      forced === 'timeout' ? forcedTimeoutSeconds : lifecycle.settings.taskTimeoutSeconds,
    idempotency:
      key === null ? null : { key, requestDigest: requestDigest(generation, callbackUrl) },
    requestId: asked.requestId,
    createdBy,
  };
}

function idempotencyKeyOf({ headers }: Asked): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key) && key.trim() !== '') return key;
  throw new Refusal(
    'invalid_request',
    'The header Idempotency-Key must be 1 to 255 printable ASCII characters.',
  );
}

/**
 * A repeated request is answered before balance and materials are looked at. Without materials
 * there is nothing to look at before the reservation, which looks for the key itself.
 */
async function answeredBefore({ lifecycle }: Service, create: Create) {
  const { idempotency, accountId, mode, generation } = create;
  if (!idempotency || !hasMaterials(generation)) return null;
  const { key } = idempotency;
  const [found] = await findRemembered(lifecycle.db, [{ accountId, mode, key }]);
  if (!found) return null;
  if (found.requestDigest !== idempotency.requestDigest) throw keyReused();
  return { taskId: found.taskId, credits: found.credits };
}

/** Nobody waits for materials to be looked at who could not pay the least this can cost. */
async function requireLeast({ lifecycle }: Service, create: Create): Promise<void> {
  const required = leastPriceOf(create.generation, lifecycle.catalogue.prices);
  const balances = await findBalances(lifecycle.db, [create.accountId]);
  const available = balances.get(create.accountId)?.[create.mode].available ?? 0;
  if (available < required) throw insufficientCredits({ required, available });
}

/** What is proven wrong with a material refuses the create; the lengths price video editing. */
async function lookAtMaterials({ lifecycle, materials }: Service, create: Create): Promise<Create> {
  const { accountId, generation } = create;
  const { problems, ...lengths } = await materials.look({ accountId, generation });
  const judged = checkMaterialLengths(generation, lengths);
  const wrong = problems.length > 0 ? [sentenceOf(problems)] : [];
  if (!judged.ok) wrong.push(judged.message);
  if (wrong.length > 0) throw new Refusal('invalid_request', wrong.join('; '));
  const longestVideoSeconds = longestSeconds(lengths.videos);
  const { prices } = lifecycle.catalogue;
  return { ...create, credits: priceOf(generation, prices, { longestVideoSeconds }) };
}

const hasMaterials = ({ imageUrls, videoUrls, audioUrls }: Generation): boolean =>
  imageUrls.length + videoUrls.length + audioUrls.length > 0;

export const ignoredHeader = (ignored: readonly string[]): Record<string, string> =>
  ignored.length === 0 ? {} : { 'vidgen-ignored': ignored.join(', ') };
