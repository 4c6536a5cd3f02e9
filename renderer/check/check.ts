/** Makes the clip of a case the way the service does, by a process of its own, and judges it. */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { renderIn, type Scratch } from '../testing/rendered.ts';
import type { CheckCase, CheckMode } from './cases.ts';
import { type ClipCheck, judge } from './judge.ts';
import type { createMaterials } from './materials.ts';

/** Long enough for every part of a clip to come into play: what follows is more of the same. */
const usualSeconds = 1;

const requestOf: Record<CheckMode, Pick<Generation, 'generationType' | 'prompt'>> = {
  text: {
    generationType: 'text-to-video',
    prompt: 'A lighthouse by the sea at sunrise',
  },
  image: {
    generationType: 'image-to-video',
    prompt: 'The camera moves slowly closer',
  },
  images: {
    generationType: 'image-to-video',
    prompt: 'One place becomes the other',
  },
  reference: {
    generationType: 'reference-to-video',
    prompt: 'All of them in one city at night',
  },
  edit: {
    generationType: 'reference-to-video',
    prompt: 'The same in the light of a winter evening',
  },
  extension: {
    generationType: 'reference-to-video',
    prompt: 'Continue the shot: the camera goes on along the coast',
  },
};

export async function checkCase(
  one: CheckCase,
  tools: {
    readonly name: string;
    readonly scratch: Scratch;
    readonly materials: ReturnType<typeof createMaterials>;
    readonly seconds?: number;
  },
): Promise<ClipCheck> {
  const { model, resolution, aspectRatio, mode, given } = one;
  const seconds = tools.seconds ?? usualSeconds;
  const materials = await tools.materials.of(mode, given);
  const urls = (kind: string): string[] =>
    materials.filter((each) => each.kind === kind).map(({ title }) => `https://${title}`);
  const rendered = await renderIn(tools.scratch, {
    name: tools.name,
    generation: {
      ...{ ...requestOf[mode], model, resolution, aspectRatio },
      duration: mode === 'edit' ? -1 : seconds,
      ...{ imageUrls: urls('image'), videoUrls: urls('video'), audioUrls: urls('audio') },
      ...{ generateAudio: true, returnLastFrame: true },
    },
    materials,
  });
  const end = rendered.reports.at(-1);
  if (!end || !('done' in end)) throw new Error(`not rendered: ${JSON.stringify(end)}`);
  const verdict = await judge(one, rendered, { materials, seconds });
  if (end.seconds === seconds) return verdict;
  return { ...verdict, problems: [...verdict.problems, `reported as ${end.seconds} s long`] };
}
