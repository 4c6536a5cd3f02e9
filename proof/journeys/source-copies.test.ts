/**
 * The copies of sources are deleted with their tasks, and an account can fill no disk by them.
 * Thorough: encodes and copies videos.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sweepResults } from '../../server/lifecycle/upkeep/sweep.ts';
import { type Journey, startJourney } from '../kit/journey.ts';
import { makeMedia } from '../kit/media-files.ts';
import { type MediaServer, type Respond, startMediaServer } from '../kit/media-server.ts';
import { waitUntil } from '../kit/wait-until.ts';

let journey: Journey;
let server: MediaServer;
let video: Buffer;
before(async () => {
  server = await startMediaServer();
  video = await makeMedia({ format: 'mp4', video: 'mpeg4', seconds: 4 });
  journey = await startJourney({
    script: { status: ['pending'], cancel: ['stopped'] },
    environment: { VIDGEN_PUBLIC_URL: 'https://videos.example.com' },
  });
});
after(async () => {
  await journey.close();
  await server.close();
});

const startedWith = (taskId: string) =>
  journey.provider.calls.find(({ start }) => start?.taskId === taskId)?.start;
const waitForStart = (taskId: string) => waitUntil(async () => startedWith(taskId) !== undefined);

/** Creates an edit of a new account. `respond` serves its source once the create has probed it. */
async function createEdit(name: string, respond?: Respond) {
  const { lifecycle } = journey.service.parts;
  const account = await journey.service.account({ live: 1_000 });
  const url = server.serve(name, (request, response) => {
    if (respond && request.headers.range === undefined) respond(request, response);
    else response.end(video);
  });
  const input = { prompt: 'Make it night', resolution: '480p', duration: -1, video_urls: [url] };
  const { body } = await account.client.create({
    model: 'vidgen-2-5',
    input: { ...input, generation_type: 'reference-to-video' },
  });
  const taskId = body.taskId as string;
  const cancel = () => account.client.post(`/v1/tasks/${taskId}/cancel`, {});
  const bytes = () => lifecycle.sources.bytesOf(account.id);
  return { ...account, taskId, cancel, bytes };
}

test('deletes the copy of a task that is cancelled', async () => {
  const { taskId, cancel, bytes } = await createEdit('cancelled');
  await waitForStart(taskId);
  assert.equal(await bytes(), video.length);
  assert.equal((await cancel()).status, 200);
  assert.equal(await bytes(), 0);
});

test('keeps no copy for a task that is cancelled while its source is fetched', async (t) => {
  const { sources } = journey.service.parts.lifecycle;
  const save = t.mock.method(sources, 'save');
  const { promise: isCancelled, resolve } = Promise.withResolvers<void>();
  const { promise: isRequested, resolve: onRequested } = Promise.withResolvers<void>();
  const { cancel, bytes } = await createEdit('late', async (_request, response) => {
    onRequested();
    await isCancelled;
    response.end(video);
  });
  await isRequested;
  assert.equal((await cancel()).status, 200);
  resolve();
  await waitUntil(async () => save.mock.callCount() === 1);
  await save.mock.calls[0]?.result;
  await waitUntil(async () => (await bytes()) === 0);
});

test('sweeps the copy of a finished task, and keeps that of an unfinished one', async (t) => {
  const { lifecycle } = journey.service.parts;
  const crashed = await createEdit('crashed');
  const open = await createEdit('open');
  for (const { taskId } of [crashed, open]) await waitForStart(taskId);
  // As if the process had crashed after the commit that ended the task.
  const remove = t.mock.method(lifecycle.storage, 'remove', async () => {});
  await crashed.cancel();
  remove.mock.restore();
  assert.equal(await crashed.bytes(), video.length);
  assert.equal(await sweepResults(lifecycle), 0, 'both may be in use: they are young');
  // The folder of a process that measures videos is younger than any real limit.
  assert.equal(await sweepResults(lifecycle, { olderThanMs: 0 }), 2);
  assert.deepEqual([await crashed.bytes(), await open.bytes()], [0, video.length]);
  await open.cancel();
});

test('waits, without fetching, while the account has too many copies', async (t) => {
  const { sources } = journey.service.parts.lifecycle;
  const bytesOf = t.mock.method(sources, 'bytesOf', async () => 2 * 1024 ** 3);
  let fetches = 0;
  const { taskId, cancel } = await createEdit('waiting', (_request, response) => {
    fetches += 1;
    response.end(video);
  });
  await waitUntil(async () => bytesOf.mock.callCount() > 0);
  assert.equal(fetches, 0);
  bytesOf.mock.restore();
  await waitForStart(taskId);
  assert.equal(fetches, 1);
  await cancel();
});

test('fetches a source again after an error of its host that may pass', async () => {
  let fetches = 0;
  const { taskId, cancel } = await createEdit('unsteady', (_request, response) => {
    fetches += 1;
    if (fetches === 1) response.writeHead(503).end();
    else response.end(video);
  });
  await waitForStart(taskId);
  assert.equal(fetches, 2);
  await cancel();
});

test('fails a task whose source is gone at once', async () => {
  const { client, taskId } = await createEdit('gone', (_request, response) => {
    response.writeHead(404).end();
  });
  assert.equal((await client.final(taskId)).failed_reason, 'material_unavailable');
});
