/** What is wrong with the video of a canary: its length, size, sound and cost. Pure. */
import type { Costs } from '@vidgen/contract/costs.ts';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { microsPerUnit } from '@vidgen/contract/price.ts';
import { shortSideOf, videoSize } from '@vidgen/contract/video-sizes.ts';
import type { VideoShape } from '@vidgen/renderer/source/measure.ts';
import { reportedCost, ruleCost } from '../costs.ts';
import type { ReportedCost } from '../provider.ts';

/** Vendors round lengths to frames, and sound may end later. */
const slackSeconds = 0.5;
/** Vendors round sizes to blocks of pixels: 832x480 is a usual 480p. */
const slackPixels = 0.15;
const slackSides = 0.08;
const slackCost = 0.05;

type Made = {
  /** Null where nothing here can measure videos: then only the cost is compared. */
  readonly shape: VideoShape | null;
  readonly reported: ReportedCost | undefined;
  readonly costs: Costs;
  readonly currency: string;
};

export function canaryProblems(generation: Generation, made: Made): string[] {
  const problems = made.shape ? [...shapeProblems(generation, made.shape)] : [];
  return [...problems, costProblem(generation, made)].filter((one) => one !== null);
}

function* shapeProblems(generation: Generation, shape: VideoShape) {
  const { seconds, hasSound } = shape;
  const { duration, generateAudio } = generation;
  if (Math.abs(seconds - duration) > slackSeconds) {
    yield `it is ${Number(seconds.toFixed(2))} s long instead of ${duration} s`;
  }
  yield sizeProblem(generation, shape);
  if (hasSound !== generateAudio) yield hasSound ? 'it has sound' : 'it has no sound';
}

function sizeProblem(generation: Generation, { width, height }: VideoShape): string | null {
  const { resolution, aspectRatio } = generation;
  const expected = videoSize(generation, aspectRatio === 'adaptive' ? '16:9' : aspectRatio);
  const isNear = (one: number, other: number, slack: number) => Math.abs(one / other - 1) <= slack;
  const isSize =
    isNear(width * height, expected.width * expected.height, slackPixels) ||
    isNear(Math.min(width, height), shortSideOf(resolution), slackSides);
  const isShape =
    aspectRatio === 'adaptive' ||
    isNear(width / height, expected.width / expected.height, slackSides);
  if (isSize && isShape) return null;
  return `it has ${width}x${height} pixels instead of ${expected.width}x${expected.height}`;
}

/** Where the provider reports a cost, and its `costs` have a rate. */
function costProblem(generation: Generation, { reported, costs, currency }: Made): string | null {
  const generated = { generation, pricedSeconds: null, currency };
  const found = reported && reportedCost(costs, reported, generated);
  const rule = ruleCost(costs, generated);
  if (!found || !rule) return null;
  if (Math.abs(found.micros - rule.micros) <= rule.micros * slackCost) return null;
  const amount = (micros: number) => micros / microsPerUnit;
  return `it costs ${amount(found.micros)} instead of ${amount(rule.micros)} ${currency}`;
}
