/**
 * The price of an estimate. It fetches nothing, but the length of an uploaded source is known, so
 * an edit of uploads is priced exactly, as its create will be.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { longestSeconds, priceOf } from '../../catalog/price.ts';
import type { ApiServices } from '../http/handler.ts';

const editing = -1;

export async function estimatePrice(
  { lifecycle, materials, uploads }: ApiServices,
  { accountId, generation }: { readonly accountId: string; readonly generation: Generation },
): Promise<{ readonly credits: number; readonly isUpperBound: boolean }> {
  const { prices } = lifecycle.catalog;
  const { duration, videoUrls } = generation;
  if (duration !== editing) return { credits: priceOf(generation, prices), isUpperBound: false };
  const isUploaded = videoUrls.every((url) => uploads.parseUrl(url) !== null);
  const videosOnly = { ...generation, imageUrls: [], audioUrls: [] };
  const probed = isUploaded ? await materials.probe({ accountId, generation: videosOnly }) : null;
  const longestVideoSeconds = probed ? longestSeconds(probed.measuredVideos) : null;
  const credits = priceOf(generation, prices, { longestVideoSeconds });
  return { credits, isUpperBound: longestVideoSeconds === null };
}
