/** Errors about fetched files that cannot be used; their messages name the material. */
import type { JobMaterial } from './render-job.ts';

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
