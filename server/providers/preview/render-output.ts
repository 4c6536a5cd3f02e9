/** The files that a render leaves: in its own folder at first, then outside of its reach. */
import { lstat, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RenderJob } from '@vidgen/renderer/render-job.ts';
import type { RenderResult } from './render-process.ts';

export const outputIn = (
  workFolder: string,
  { lastFrame }: RenderJob['out'],
): RenderJob['out'] => ({
  video: join(workFolder, 'video.mp4'),
  lastFrame: lastFrame === null ? null : join(workFolder, 'last-frame.jpg'),
});

/**
 * Moves the output out of the folder that the render could write to. A render that was taken over
 * may leave a link to any file of the service, which would be stored as its video, or a pipe, which
 * blocks a thread that reads it: only files are accepted.
 */
export async function takeOver(
  rendered: RenderResult,
  { workFolder, out }: { readonly workFolder: string; readonly out: RenderJob['out'] },
): Promise<RenderResult> {
  if (rendered.outcome !== 'done') return rendered;
  const { video, lastFrame } = outputIn(workFolder, out);
  try {
    await moveFile(video, out.video);
    if (lastFrame !== null) await moveFile(lastFrame, out.lastFrame!);
    return rendered;
  } catch {
    return { outcome: 'failed', reason: 'failed', detail: 'the renderer left no video' };
  }
}

async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to);
  // Checked where the render cannot replace it any more.
  if (!(await lstat(to)).isFile()) throw new Error('not a file');
}

export async function removeOutput({ video, lastFrame }: RenderJob['out']): Promise<void> {
  const options = { force: true, recursive: true };
  await rm(video, options);
  if (lastFrame !== null) await rm(lastFrame, options);
}
