/** The files that a render leaves: in its own folder at first, then outside of its reach. */
import { rename, rm } from 'node:fs/promises';
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

/** Moves the output out of the folder that the render could write to. */
export async function takeOver(
  rendered: RenderResult,
  { workFolder, out }: { readonly workFolder: string; readonly out: RenderJob['out'] },
): Promise<RenderResult> {
  if (rendered.outcome !== 'done') return rendered;
  const { video, lastFrame } = outputIn(workFolder, out);
  try {
    await rename(video, out.video);
    if (lastFrame !== null) await rename(lastFrame, out.lastFrame!);
    return rendered;
  } catch {
    return { outcome: 'failed', reason: 'failed', detail: 'the renderer left no video' };
  }
}

export async function removeOutput({ video, lastFrame }: RenderJob['out']): Promise<void> {
  await rm(video, { force: true });
  if (lastFrame !== null) await rm(lastFrame, { force: true });
}
