/** Which output is the result, and how malformed responses are read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureFor } from './errors.ts';
import { type FinishedPrompt, findVideo, readHistory, readQueue } from './wire.ts';

const file = (filename: string, type = 'output', subfolder = '') => ({ filename, subfolder, type });

test('finds a video in any list of any node', () => {
  const video = file('a.mp4');
  for (const name of ['images', 'gifs', 'video', 'videos', 'whatever']) {
    assert.deepEqual(findVideo({ '9': { [name]: [video], animated: [true] } }, undefined), video);
  }
  const combined = { ...file('b.out'), format: 'video/h264-mp4', fullpath: '/srv/out/b.out' };
  assert.deepEqual(findVideo({ '9': { gifs: [combined] } }, undefined), file('b.out'));
});

test('prefers the configured node, then kept files, and skips inputs and images', () => {
  const outputs = {
    '1': { images: [file('input.mp4', 'input')] },
    '2': { images: [file('preview.mp4', 'temp'), file('frame.png')] },
    '3': { images: [file('first.webm')] },
    '4': { gifs: [file('second.mov', 'temp')] },
  };
  assert.equal(findVideo(outputs, undefined)?.filename, 'first.webm');
  assert.equal(findVideo(outputs, '4')?.filename, 'second.mov');
  assert.equal(findVideo({ '1': outputs['1'] }, '1'), null);
  assert.equal(findVideo({ '9': { images: [file('moving.webp')], animated: [true] } }, '9'), null);
});

test('distinguishes an absent prompt from an unreadable response', () => {
  const id = 'b1d0';
  const item = [3, id, {}, { create_time: 1_794_738_900_000 }, ['9']];
  const queue = (running: unknown, pending: unknown) =>
    readQueue({ queue_running: running, queue_pending: pending }, id);
  assert.deepEqual(queue([item], []), { state: 'running', createdSeconds: 1_794_738_900 });
  assert.equal(queue([], [item])?.state, 'queued');
  assert.equal(queue([], [[4, 'other', {}, {}, []]]), null);
  for (const malformed of [undefined, null, 'none', [7], [[1, 2]]])
    assert.equal(queue(malformed, []), undefined);
  assert.equal(readHistory({}, id), null);
  for (const malformed of [null, [], 'x', { other: {} }, { [id]: 7 }, { [id]: { outputs: [] } }]) {
    assert.equal(readHistory(malformed, id), undefined);
  }
  assert.equal(readHistory({ [id]: { outputs: {}, status: null } }, id)?.status, undefined);
});

test('reports an unusable file only when the node that loads it fails', () => {
  const finished = (
    nodeId: string,
    nodeType: string,
    message = 'cannot identify image file',
  ): FinishedPrompt => ({
    status: 'error',
    interrupted: false,
    error: { nodeId, nodeType, exception: 'PIL.UnidentifiedImageError', message },
    outputs: {},
  });
  const reasonOf = (one: FinishedPrompt) => failureFor(one, new Set(['20'])).reason;
  assert.equal(reasonOf(finished('20', 'LoadImage')), 'material');
  assert.equal(reasonOf(finished('20.0.1', 'VHS_LoadVideo')), 'material');
  assert.equal(reasonOf(finished('3', 'KSampler')), 'failed');
  assert.equal(reasonOf(finished('20', 'AllInOneSampler')), 'failed');
  assert.equal(reasonOf(finished('1', 'UNETLoader')), 'failed', 'a configured model');
  assert.deepEqual(
    failureFor(finished('7', 'Guard', 'Content policy: prompt rejected'), new Set()),
    {
      reason: 'rejected',
      rejectedPart: 'prompt',
      detail: 'node 7 Guard: PIL.UnidentifiedImageError: Content policy: prompt rejected',
    },
  );
});
