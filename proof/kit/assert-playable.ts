/** Asserts that bytes are a video that decodes. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readClip } from '../../renderer/testing/clip.ts';
import { deleteFolder, makeTemporaryFolder } from './temporary-folder.ts';

export async function assertPlayable(bytes: Uint8Array): Promise<void> {
  const folder = makeTemporaryFolder('playable');
  try {
    const file = join(folder, 'video.mp4');
    await writeFile(file, bytes);
    const { frames, videoSeconds } = await readClip(file);
    assert(frames > 0 && videoSeconds > 0, `${frames} frames in ${videoSeconds} s`);
  } finally {
    deleteFolder(folder);
  }
}
