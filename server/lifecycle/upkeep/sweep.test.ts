/**
 * Orphaned files and expired uploads are deleted; results, collections under way and uploads that a
 * task may still use are not.
 */
import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startJourney, textToVideo } from '../../../proof/kit/journey.ts';
import { newTaskId } from '../../tasks/task-id.ts';
import { sweepResults } from './sweep.ts';

test('deletes only files without a task, and only when they are old', async () => {
  const journey = await startJourney({
    script: ({ generation }) => (generation.prompt === 'endless' ? { status: ['pending'] } : {}),
  });
  try {
    const { service } = journey;
    const { lifecycle } = service.parts;
    const account = await service.account({ live: 100 });
    const endless = { ...textToVideo, input: { ...textToVideo.input, prompt: 'endless' } };
    const unfinished = await account.client.create(endless);
    const { body } = await account.client.create(textToVideo);
    const { data } = await account.client.final(body.taskId as string);
    const file = join(service.home, 'left-behind');
    await writeFile(file, 'an orphaned video');
    const orphans = [`${newTaskId()}/1/video.mp4`, `${body.taskId}/7/video.mp4`];
    const collected = `${unfinished.body.taskId}/1/video.mp4`;
    for (const key of [...orphans, collected]) {
      await lifecycle.storage.put({ key, file, contentType: 'video/mp4' });
    }
    const { tempFolder } = lifecycle.settings;
    await mkdir(tempFolder, { recursive: true });
    await writeFile(join(tempFolder, 'video.mp4.part'), 'half a video');
    await writeFile(join(service.home, 'results/.incoming/a-copy'), 'half a video');

    assert.equal(await sweepResults(lifecycle), 0);
    assert.equal(await sweepResults(lifecycle, { olderThanMs: 0 }), 4);
    assert.deepEqual(await readdir(tempFolder), []);
    for (const key of orphans) assert.equal(await lifecycle.storage.open(key), null);
    const kept = await lifecycle.storage.open(collected);
    assert.ok(kept, 'a task in progress may use it');
    await kept.close();
    assert.equal((await fetch(data!.results[0]!)).status, 200);
  } finally {
    await journey.close();
  }
});

test('keeps an upload for two days and while a task may need it, then deletes it', async () => {
  const journey = await startJourney({ environment: { VIDGEN_ROLE: 'worker' } });
  try {
    const { lifecycle } = journey.service.parts;
    const file = join(journey.service.home, 'picture');
    await writeFile(file, 'a picture');
    const key = `upload_0123456789abcdef/1/${'0'.repeat(32)}.png`;
    await lifecycle.storage.put({ key, file, contentType: 'image/png' });
    const setAgeHours = async (hours: number) => {
      const at = Date.now() / 1000 - hours * 3600;
      await utimes(join(journey.service.home, 'results', key), at, at);
    };
    for (const hours of [0, 47, 48.5]) {
      await setAgeHours(hours);
      assert.equal(await sweepResults(lifecycle, { olderThanMs: 0 }), 0, `${hours} h`);
    }
    await setAgeHours(49.1);
    assert.equal(await sweepResults(lifecycle), 1);
    assert.equal(await lifecycle.storage.open(key), null);
  } finally {
    await journey.close();
  }
});
