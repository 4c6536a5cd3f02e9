/** Errors about fetched files that cannot be used; their messages name the material. */
import { UnusableImage } from './image.ts';
import type { JobMaterial } from './render-job.ts';
import { UnusableAudio } from './sound/audio-input.ts';
import { UnusableVideo } from './source/container.ts';

/** Whether the error is caused by the customer's file and not by the renderer. */
export const isUnusable = (error: unknown): error is Error =>
  [UnusableImage, UnusableVideo, UnusableAudio].some((kind) => error instanceof kind);

/** Prefixes such an error with its material: `video 2 (cdn.example.com/a.mp4): …`. */
export async function namingMaterial<Result>(
  { kind, index, title }: JobMaterial,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (isUnusable(error)) error.message = `${kind} ${index + 1} (${title}): ${error.message}`;
    throw error;
  }
}
