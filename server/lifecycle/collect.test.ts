/** A result that cannot be stored leaves no files behind. */
import assert from 'node:assert/strict';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { textToVideo, useJourney } from '../../proof/kit/journey.ts';
import { deleteFolder, makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import type { VideoFile } from '../credentials/credentials.ts';
import { type SaveInto, saveStream } from '../egress/save-stream.ts';
import { openAttempt } from '../tasks/attempts.ts';
import { findOpenAttempt } from '../tasks/find-attempts.ts';
import { findTask } from '../tasks/store.ts';
import { collect } from './collect.ts';

const journey = await useJourney({ environment: { VIDGEN_ROLE: 'api' } });
const folder = makeTemporaryFolder('collect');
after(() => deleteFolder(folder));

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

async function createTask(reference: string) {
  const { service } = journey;
  const { lifecycle } = service.parts;
  const { client } = await service.account({ live: 100 });
  const { body } = await client.create(textToVideo);
  const task = (await findTask(lifecycle.db, body.taskId as string))!;
  await lifecycle.db.transaction((tx) =>
    openAttempt(tx, { taskId: task.id, provider: 'p', credential: null, reference }),
  );
  return { lifecycle, task, attempt: (await findOpenAttempt(lifecycle.db, task.id))! };
}

test('deletes the files of a video that cannot be stored', async () => {
  const { lifecycle, task, attempt } = await createTask('vg_1');
  const video = join(folder, 'clip.mp4');
  const lastFrame = join(folder, 'clip.jpg');
  await writeFile(video, '');
  await writeFile(lastFrame, 'a picture');
  const status = {
    outcome: 'completed',
    video: { file: video },
    lastFrame: { file: lastFrame },
  } as const;
  const { signal } = new AbortController();
  const collected = await collect(lifecycle, { task, attempt, status, signal });
  assert.deepEqual(collected, {
    outcome: 'failed',
    isLocalFailure: false,
    detail: 'the result is empty',
  });
  assert.deepEqual([await isThere(video), await isThere(lastFrame)], [false, false]);
});

test('a download that cannot be stored is deleted, and not that of another worker', async () => {
  const { lifecycle, task, attempt } = await createTask('vg_2');
  const { signal } = new AbortController();
  const files: Record<string, string> = {};
  const statusOf = (worker: string) => {
    const download = async ({ into }: { readonly into: SaveInto }) => {
      files[worker] = (into as VideoFile).file;
      return { saved: true, bytes: await saveStream([Buffer.from('a video')], into) } as const;
    };
    return { outcome: 'completed', video: { download } } as const;
  };
  let endSuccessor = () => {};
  const ended = new Promise<void>((resolve) => {
    endSuccessor = resolve;
  });
  // The worker that lost its lease fails while its successor has just finished the download.
  const storage = { ...lifecycle.storage, put: () => Promise.reject(new Error('no space')) };
  const posters = { make: () => ended.then(() => null), close: async () => {} };
  const options = { task, attempt, signal };
  const successor = collect(
    { ...lifecycle, posters },
    { ...options, status: statusOf('successor') },
  );
  const failed = { ...lifecycle, storage, posters: null };
  const result = await collect(failed, { ...options, status: statusOf('failed') });
  assert.deepEqual([result.outcome, await isThere(files.failed!)], ['failed', false]);
  endSuccessor();
  assert.equal((await successor).outcome, 'collected');
  assert.equal(await isThere(files.successor!), false);
});
