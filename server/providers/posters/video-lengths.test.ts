/**
 * Lengths as FFmpeg shows videos, also where a parser would skip what it reads.
 *
 * Thorough: decodes videos; `server/materials` is tested in every run.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withHiddenClusters, withHiddenFragments } from '../../../proof/kit/hostile-timing.ts';
import { makeMedia } from '../../../proof/kit/media-files.ts';
import { makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { createLog } from '../../telemetry/log.ts';
import { createVideoLengths } from './video-lengths.ts';

const folder = makeTemporaryFolder('lengths');
const lengths = createVideoLengths({ tempFolder: join(folder, 'temp'), log: createLog('silent') });
after(() => lengths.close());
const { signal } = new AbortController();

async function secondsOf(bytes: Uint8Array): Promise<number | string | null> {
  const file = join(folder, 'video');
  await writeFile(file, bytes);
  const seconds = await lengths.measure(file, signal);
  return typeof seconds === 'number' ? Math.round(seconds * 10) / 10 : seconds;
}

test('measures what FFmpeg finds, in its place or hidden', async () => {
  const mpeg4 = { format: 'mp4', video: 'mpeg4' } as const;
  assert.equal(await secondsOf(await makeMedia({ ...mpeg4, seconds: 4 })), 4);
  const options = { movflags: '+empty_moov+default_base_moof', frag_duration: 2_000_000 };
  const fragments = await makeMedia({ ...mpeg4, seconds: 28, options });
  assert.equal(await secondsOf(withHiddenFragments(fragments, 'mdia')), 28);
  const live = { live: 1, cluster_time_limit: 2_000 };
  const webm = await makeMedia({ format: 'webm', video: 'libvpx', seconds: 28, options: live });
  assert.equal(await secondsOf(withHiddenClusters(webm)), 27.9);
  const sound = await makeMedia({ format: 'mp4', audio: 'aac', seconds: 4 });
  for (const none of [sound, Buffer.alloc(0), Buffer.from('no video')]) {
    assert.equal(await secondsOf(none), null);
  }
});

test('a video that gets no turn is not judged', async () => {
  const file = join(folder, 'late');
  await writeFile(file, await makeMedia({ format: 'mp4', video: 'mpeg4', seconds: 4 }));
  await assert.rejects(lengths.measure(file, AbortSignal.abort()), /no time to measure/);
});
