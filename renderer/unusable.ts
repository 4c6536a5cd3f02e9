/** Errors about fetched files that cannot be used; their messages name the material. */
import type { JobLimits, JobMaterial } from './render-job.ts';

/** The task fails with `material_unavailable`: the customer's file is wrong, not the renderer. */
export class UnusableMaterial extends Error {}

/** Prefixes such an error with its material: `video 2 (cdn.example.com/a.mp4): …`. */
export async function namingMaterial<Result>(
  { kind, index, title }: JobMaterial,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof UnusableMaterial)
      error.message = `${kind} ${index + 1} (${title}): ${error.message}`;
    throw error;
  }
}

/** Returns why the lengths exceed the limit together, or null. */
export function combinedSecondsProblem(
  noun: 'videos' | 'audio files',
  seconds: readonly number[],
  { combinedSecondsMax: max }: JobLimits,
): string | null {
  const sum = seconds.reduce((total, each) => total + each, 0);
  // The tenth that each length was rounded by at the create.
  if (sum <= max + 0.1 * seconds.length) return null;
  return `the ${noun} are ${sum.toFixed(1)} s long in all; the maximum is ${max} s`;
}
