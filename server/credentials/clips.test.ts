/**
 * Clips of both encoders of the preview, signed: two validators accept them, and every frame and
 * sample is decoded as before.
 *
 * Thorough: renders clips.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { validate } from '../../proof/kit/c2pa-validators.ts';
import { authorityPem, inspectBytes, signBytes } from '../../proof/kit/credentials-fixture.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { unmarkedVideo } from '../../proof/kit/unmarked.ts';
import { readClip } from '../../renderer/testing/clip.ts';
import { renderIn } from '../../renderer/testing/rendered.ts';

for (const encoder of ['native', 'wasm'] as const) {
  for (const generateAudio of [true, false]) {
    test(`${encoder}, ${generateAudio ? 'with' : 'without'} sound`, async () => {
      const folder = makeTemporaryFolder('clips');
      const order = { name: 'clip', generation: { generateAudio }, encoder };
      const { video } = await renderIn(folder, order);
      const made = await readFile(video);
      const { bytes, state } = await signBytes(folder, made);
      assert.equal(state, 'signed');
      assert.deepEqual(unmarkedVideo(bytes), made);
      assert.deepEqual(await validate(bytes, authorityPem), { rust: true, typescript: true });
      assert.equal((await inspectBytes(bytes)).state, 'valid');
      const signed = join(folder, 'signed.mp4');
      await writeFile(signed, bytes);
      const { seconds: _, ...clip } = await readClip(signed);
      const { seconds: __, ...before } = await readClip(video);
      assert.deepEqual(clip, before);
      assert(clip.isFastStart);
    });
  }
}
