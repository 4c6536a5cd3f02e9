/**
 * How many images, videos and audio files each generation type takes (docs/spec.md 4.3.2 to 4.3.5),
 * and whether their URLs are allowed. Nothing is fetched here; `material-lengths.ts` checks
 * durations.
 */
import { formatValue } from '@vidgen/contract/format-value.ts';
import { type Problem, ruleProblem } from '@vidgen/contract/problem.ts';
import { textProblem } from '@vidgen/contract/text.ts';
import { type CheckUrl, type Draft, isUsed, type MaterialList, materialLists } from './draft.ts';
import type { ReferenceLimits } from './models.ts';

type MaterialRule = (draft: Draft, context: { readonly checkUrl: CheckUrl }) => readonly Problem[];

const nouns = { image_urls: 'image', video_urls: 'video', audio_urls: 'audio file' } as const;

const listMax = (list: MaterialList, reference: ReferenceLimits): number =>
  ({
    image_urls: reference.imagesMax,
    video_urls: reference.videosMax,
    audio_urls: reference.audiosMax,
  })[list];

function countProblem(draft: Draft, list: MaterialList): string | null {
  const count = draft.materials[list].length;
  if (draft.generationType === 'image-to-video' && list === 'image_urls') {
    const { min, max } = draft.limits?.imageToVideoImages ?? { min: 1, max: 2 };
    const images = min === max ? `${max} image` : `${min} or ${max} images`;
    const rule = `must contain ${images} for image-to-video`;
    return count < min || count > max ? `${rule} (got ${count})` : null;
  }
  if (draft.generationType !== 'reference-to-video' || draft.limits === null) return null;
  const max = listMax(list, draft.limits.reference);
  return count > max
    ? `must contain at most ${max} ${nouns[list]}s for ${draft.model} (got ${count})`
    : null;
}

/** A list that is too long is reported once; its URLs are not checked one by one. */
const listIsUsable =
  (list: MaterialList): MaterialRule =>
  (draft, { checkUrl }) => {
    if (!isUsed(draft, list)) return [];
    const path = `input.${list}`;
    const problem = countProblem(draft, list);
    if (problem !== null) return [ruleProblem(path, problem)];
    return draft.materials[list]
      .slice(0, urlsMax)
      .flatMap((url, index) =>
        urlProblems(url, { path: `${path}[${index}]`, kind: 'material', checkUrl }),
      );
  };

/** Only needed without a known model, whose own limit would apply first; no model allows more. */
const urlsMax = 50;

const referenceHasOne: MaterialRule = ({ generationType, model, limits, materials }) => {
  if (generationType !== 'reference-to-video') return [];
  const { image_urls: images, video_urls: videos, audio_urls: audios } = materials;
  if (images.length > 0 || videos.length > 0) return [];
  if (audios.length === 0) {
    const lists = materialLists.map((list) => `input.${list}`);
    const where = `${lists.slice(0, -1).join(', ')} or ${lists.at(-1)}`;
    const rule = 'must contain at least one reference for reference-to-video (got none)';
    const message = `${where} ${rule}`;
    return [{ kind: 'rule', path: 'input.audio_urls', message }];
  }
  if (limits === null || limits.reference.audioAlone) return [];
  const rule = `needs at least one image or video with it for ${model} (got audio only)`;
  return [ruleProblem('input.audio_urls', rule)];
};

const totalIsBounded: MaterialRule = ({ generationType, model, limits, materials }) => {
  const max = limits?.reference.totalMax ?? null;
  if (generationType !== 'reference-to-video' || max === null) return [];
  const total = materialLists.reduce((sum, list) => sum + materials[list].length, 0);
  if (total <= max) return [];
  const rule = `must be at most ${max} for ${model} (got ${total})`;
  const message = `the total number of materials ${rule}`;
  return [{ kind: 'rule', path: 'input.audio_urls', message }];
};

export const materialRules: readonly MaterialRule[] = [
  ...materialLists.map(listIsUsable),
  referenceHasOne,
  totalIsBounded,
];

/** Messages about an invalid URL; `egress` decides whether it is allowed. */
export function urlProblems(
  url: string,
  {
    path,
    kind,
    checkUrl,
  }: {
    readonly path: string;
    readonly kind: 'callback' | 'material';
    readonly checkUrl: CheckUrl;
  },
): Problem[] {
  const problem = textProblem(url);
  if (problem !== null) return [ruleProblem(path, problem)];
  const checked = checkUrl(url, kind);
  if (checked.ok) return [];
  return [ruleProblem(path, `${checked.rule} (got ${formatValue(redactPassword(url))})`)];
}

/** Messages are logged, so a user name and password in a URL must not be part of them. */
const redactPassword = (url: string): string => url.replace(/^([^/?#]*\/\/)[^/?#]*@/, '$1…@');
