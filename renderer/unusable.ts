/** Fetched files that are not what they should be: whatever their kind, they are told by name. */
import { UnusableImage } from './image.ts';
import type { JobMaterial } from './render-job.ts';
import { UnusableRecording } from './sound/sound-file.ts';
import { UnusableVideo } from './source/video.ts';

const kinds = [UnusableImage, UnusableVideo, UnusableRecording];

/** The customer's file is at fault, not the renderer. */
export const isUnusable = (error: unknown): error is Error =>
  kinds.some((kind) => error instanceof kind);

/** Adds to such an error which of the materials it is: `video 2 (cdn.example.com/a.mp4): …`. */
export async function naming<Result>(
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
