/**
 * Rules on the duration of materials (docs/spec.md 4.3.4 to 4.3.6). Only known durations are
 * checked: a material that could not be probed breaks no rule. Pure; the materials module does the
 * probing.
 */
import { editingDuration, type Generation } from '@vidgen/contract/create-generation.ts';
import { formatProblems, type Problem, ruleProblem } from '@vidgen/contract/problem.ts';
import type { LengthLimits, Model, Range } from './models.ts';

/** Seconds, in the order of the request's lists; null if unknown. */
type MaterialLengths = {
  readonly videos: readonly (number | null)[];
  readonly audios: readonly (number | null)[];
};

export function checkMaterialLengths(
  generation: Generation,
  model: Model,
  lengths: MaterialLengths,
): { readonly ok: true } | { readonly ok: false; readonly message: string } {
  const { reference, editing } = model.limits;
  const isEditing = generation.duration === editingDuration && editing !== null;
  const problems = [
    ...lengthProblems(lengths.videos, {
      list: 'video_urls',
      noun: 'video',
      limits: isEditing
        ? { ...reference.video, eachSeconds: editing.sourceSeconds }
        : reference.video,
      eachUse: isEditing ? 'video editing' : generation.model,
      model: generation.model,
    }),
    ...lengthProblems(lengths.audios, {
      list: 'audio_urls',
      noun: 'audio file',
      limits: reference.audio,
      eachUse: generation.model,
      model: generation.model,
    }),
  ];
  return problems.length === 0 ? { ok: true } : { ok: false, message: formatProblems(problems) };
}

type Group = {
  readonly list: string;
  readonly noun: string;
  readonly limits: LengthLimits;
  /** What the limit per file is for. */
  readonly eachUse: string;
  readonly model: string;
};

function lengthProblems(lengths: readonly (number | null)[], group: Group): Problem[] {
  const { list, noun, limits, eachUse, model } = group;
  const each = limits.eachSeconds;
  const problems: Problem[] = lengths.flatMap((length, index) => {
    if (each === null || length === null || isWithin(roundToTenth(length), each)) return [];
    const rule = `each ${noun} must be ${each.min} to ${each.max} s for ${eachUse}`;
    return ruleProblem(`input.${list}[${index}]`, `is ${roundToTenth(length)} s long; ${rule}`);
  });
  const sum = lengths.reduce<number>((total, length) => total + (length ?? 0), 0);
  if (roundToTenth(sum) > limits.combinedSecondsMax) {
    const rule = `the ${noun}s must total at most ${limits.combinedSecondsMax} s for ${model}`;
    problems.push(ruleProblem(`input.${list}`, `is ${roundToTenth(sum)} s long in all; ${rule}`));
  }
  return problems;
}

/**
 * To a tenth of a second. The checked value is the one shown, and the few hundredths that
 * containers and encoders add to a clip of exactly 30 s break no rule.
 */
const roundToTenth = (seconds: number): number => Math.round(seconds * 10) / 10;

const isWithin = (value: number, range: Range): boolean => value >= range.min && value <= range.max;
