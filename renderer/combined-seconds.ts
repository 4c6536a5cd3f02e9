/** docs/spec.md 4.3.4 and 4.3.5, checked again: files can change after the create. */
import type { ModelName } from '@vidgen/contract/models.ts';

/** Of the videos, and of the audio files, of a request. */
export const combinedSecondsMax = (model: ModelName): number => (model === 'vidgen-2-5' ? 30 : 15);

/** Returns why the lengths exceed the limit together, or null. */
export function combinedSecondsProblem(
  noun: 'videos' | 'audio files',
  seconds: readonly number[],
  model: ModelName,
): string | null {
  const max = combinedSecondsMax(model);
  const sum = seconds.reduce((total, each) => total + each, 0);
  // The tenth that each length was rounded by at the create.
  if (sum <= max + 0.1 * seconds.length) return null;
  return `the ${noun} are ${sum.toFixed(1)} s long in all; the maximum is ${max} s`;
}
