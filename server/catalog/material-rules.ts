/**
 * How many images, videos and audio files each mode takes (Spec 4.3.2 to 4.3.5), and whether we
 * would go to their addresses. Nothing is fetched here; lengths are judged by
 * `material-lengths.ts`.
 */
import type { Problem } from '@vidgen/contract/problem.ts';
import { addressProblems } from './address-rules.ts';
import {
  broken,
  type CheckAddress,
  type Draft,
  isUsed,
  type MaterialList,
  materialLists,
} from './draft.ts';
import { imageToVideoImages, type ReferenceLimits } from './models.ts';

type MaterialRule = (
  draft: Draft,
  context: { readonly checkAddress: CheckAddress },
) => readonly Problem[];

const nouns = { image_urls: 'image', video_urls: 'video', audio_urls: 'audio file' } as const;

const listMax = (list: MaterialList, reference: ReferenceLimits): number =>
  ({
    image_urls: reference.imagesMax,
    video_urls: reference.videosMax,
    audio_urls: reference.audiosMax,
  })[list];

/** The rule about its number that a list breaks, or null. */
function countFault(draft: Draft, list: MaterialList): string | null {
  const count = draft.materials[list].length;
  if (draft.mode === 'image-to-video' && list === 'image_urls') {
    const { min, max } = imageToVideoImages;
    const rule = `must hold ${min} or ${max} images for image-to-video`;
    return count < min || count > max ? `${rule} (got ${count})` : null;
  }
  if (draft.mode !== 'reference-to-video' || draft.limits === null) return null;
  const max = listMax(list, draft.limits.reference);
  return count > max
    ? `must hold at most ${max} ${nouns[list]}s for ${draft.model} (got ${count})`
    : null;
}

/** A list that is too long is told so once; its addresses are not looked at one by one. */
const listIsUsable =
  (list: MaterialList): MaterialRule =>
  (draft, { checkAddress }) => {
    if (!isUsed(draft, list)) return [];
    const path = `input.${list}`;
    const fault = countFault(draft, list);
    if (fault !== null) return [broken(path, fault)];
    return draft.materials[list]
      .slice(0, addressesMax)
      .flatMap((address, index) =>
        addressProblems(address, { path: `${path}[${index}]`, kind: 'material', checkAddress }),
      );
  };

/** Only reached without a known model, whose limit would have come first; no request has more. */
const addressesMax = 50;

const referenceHasOne: MaterialRule = ({ mode, model, limits, materials }) => {
  if (mode !== 'reference-to-video') return [];
  const { image_urls: images, video_urls: videos, audio_urls: audios } = materials;
  if (images.length > 0 || videos.length > 0) return [];
  if (audios.length === 0) {
    const lists = materialLists.map((list) => `input.${list}`);
    const where = `${lists.slice(0, -1).join(', ')} or ${lists.at(-1)}`;
    const words = `${where} must hold at least one reference for reference-to-video (got none)`;
    return [{ kind: 'rule', path: 'input.audio_urls', words }];
  }
  if (limits === null || limits.reference.audioAlone) return [];
  const rule = `needs at least one image or video beside it for ${model} (got audio alone)`;
  return [broken('input.audio_urls', rule)];
};

const totalIsBounded: MaterialRule = ({ mode, model, limits, materials }) => {
  const max = limits?.reference.totalMax ?? null;
  if (mode !== 'reference-to-video' || max === null) return [];
  const total = materialLists.reduce((sum, list) => sum + materials[list].length, 0);
  if (total <= max) return [];
  const words = `all materials together must be at most ${max} for ${model} (got ${total})`;
  return [{ kind: 'rule', path: 'input.audio_urls', words }];
};

export const materialRules: readonly MaterialRule[] = [
  ...materialLists.map(listIsUsable),
  referenceHasOne,
  totalIsBounded,
];
