/**
 * Checks the materials of a create before anything is reserved. An account that cannot pay for the
 * shortest video causes no request to the hosts of its materials.
 */
import { invalidRequest, rateLimited } from '@vidgen/contract/api-error.ts';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { formatProblems } from '@vidgen/contract/problem.ts';
import type { KeyIdentity } from '../../accounts/keys/api-key.ts';
import { checkMaterialLengths } from '../../catalog/material-lengths.ts';
import type { Model } from '../../catalog/models.ts';
import { minimumPrice, pricedInputSeconds, pricedSeconds, priceOf } from '../../catalog/price.ts';
import { findBalances } from '../../ledger/ledger.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { type CreateTask, insufficientCredits } from '../../lifecycle/create/accept-decision.ts';
import type { ApiServices } from '../http/handler.ts';

export const hasMaterials = ({ imageUrls, videoUrls, audioUrls }: Generation): boolean =>
  imageUrls.length + videoUrls.length + audioUrls.length > 0;

/** Throws before materials are probed if the balance is below the lowest possible price. */
export async function requireMinimumBalance(
  { lifecycle }: ApiServices,
  create: CreateTask,
  model: Model,
): Promise<void> {
  const required = minimumPrice(create.generation, model);
  const balances = await findBalances(lifecycle.db, [create.accountId]);
  const available = balances.get(create.accountId)?.[create.mode].available ?? 0;
  if (available < required) throw insufficientCredits({ required, available });
}

/**
 * Throws if a material is proven invalid. Video editing is priced by the measured length; while our
 * own limits keep it from being measured, there is no price and the client is told to come back.
 */
export async function probeMaterials(
  { lifecycle, materials }: ApiServices,
  create: CreateTask,
  { identity, model }: { readonly identity: KeyIdentity; readonly model: Model },
): Promise<CreateTask> {
  const { accountId, generation } = create;
  const { problems, measuredVideos, imageFormats, isBusy, ...lengths } = await materials.probe({
    accountId,
    generation,
  });
  const lengthCheck = checkMaterialLengths(generation, model, lengths);
  const messages = problems.length > 0 ? [formatProblems(problems)] : [];
  if (!lengthCheck.ok) messages.push(lengthCheck.message);
  const untaken = untakenImageMessage(lifecycle, { create, identity, imageFormats });
  if (untaken !== null) messages.push(untaken);
  if (messages.length > 0) throw invalidRequest(messages.join('; '));
  if (isBusy) throw materialsBusy();
  const inputs = { videoSeconds: measuredVideos };
  const inputSecondsMax = pricedInputSeconds(generation, model, inputs);
  return {
    ...create,
    generation: inputSecondsMax === null ? generation : { ...generation, inputSecondsMax },
    credits: priceOf(generation, model, inputs),
    pricedSeconds: pricedSeconds(generation, model, inputs),
    imageFormats,
  };
}

/** An image that could be read, in a format that every provider of the route rejects. */
function untakenImageMessage(
  { providers }: LifecycleContext,
  options: {
    readonly create: CreateTask;
    readonly identity: KeyIdentity;
    readonly imageFormats: readonly (string | null)[];
  },
): string | null {
  const { create, identity, imageFormats } = options;
  const untaken = providers.untakenImage(create.generation.model, identity, imageFormats);
  if (untaken === null) return null;
  const { index, taken } = untaken;
  const rule = `is a ${imageFormats[index]} image, which no provider of this installation takes`;
  return `input.image_urls[${index}] ${rule}; use ${taken.join(', ')}`;
}

const busyRetrySeconds = 5;

const materialsBusy = () =>
  rateLimited('Too many requests with materials are being checked at the moment', busyRetrySeconds);
