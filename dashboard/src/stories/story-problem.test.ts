import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdminTask, AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { formOfSearch } from '../playground/form-url.ts';
import { requestOf } from '../playground/generation-request.ts';
import { modelNamed, models } from '../playground/testing/forms.ts';
import { isStoryFull, searchOfNextShot, searchOfVideo } from './next-form.ts';
import { storyProblem } from './story-problem.ts';

const nowMs = Date.parse('2026-11-16T12:00:00Z');
const completed = (hour: number, results = ['https://example.com/a.mp4']): Partial<AdminTask> => ({
  status: 'completed',
  data: {
    results,
    video_expires_at: `2026-11-16T${hour}:00:00.000Z`,
    last_frame_url: null,
    processing_time: 5,
  },
});
const problemOf = (...tasks: (Partial<AdminTask> | null)[]) =>
  storyProblem(
    tasks.map((task, at) => ({ id: `task_${at}`, task: task as AdminTask | null })),
    nowMs,
  );

test('names every shot that keeps a story from being downloaded', () => {
  const ready = completed(13);
  assert.equal(problemOf(ready, ready), null);
  assert.equal(problemOf(ready, null, ready), 'Shot 2 was deleted.');
  assert.equal(problemOf(completed(11), ready, completed(13, [])), 'Shots 1 and 3 have expired.');
  assert.equal(
    problemOf(null, ready, { status: 'failed' }, { status: 'queued' }, { status: 'generating' }),
    'Shot 1 was deleted. Shot 3 failed. Shots 4 and 5 are still generating.',
  );
});

const idOf = (at: number) => `task_01jd2v9q3kf8m7x5w4t6r0b1${String(at).padStart(2, '0')}`;
const frame = 'https://example.com/results/last-frame.jpg';

function nextRequest(shot: number) {
  const before = Array.from({ length: shot - 1 }, (_, at) => idOf(at)).join(' ');
  const task: Pick<AdminTaskDetail, 'id' | 'request' | 'metadata'> = {
    id: idOf(shot - 1),
    ...(before === '' ? {} : { metadata: { order: '42', continues: before } }),
    request: {
      model: 'vidgen-2-0',
      input: {
        prompt: 'A boat',
        aspect_ratio: '9:16',
        duration: 7,
        resolution: '480p',
        seed: 5,
        generate_audio: false,
      },
    },
  };
  const form = formOfSearch(
    searchOfNextShot(task, { model: task.request.model, frameUrl: frame }),
    models,
  );
  assert(form);
  return requestOf(form, modelNamed('vidgen-2-0'));
}

test('prepares the next shot on the last frame, with the same settings', () => {
  assert.deepEqual(nextRequest(2), {
    model: 'vidgen-2-0',
    input: {
      prompt: '',
      generation_type: 'image-to-video',
      image_urls: [frame],
      duration: 7,
      resolution: '480p',
      aspect_ratio: 'adaptive',
      generate_audio: false,
      return_last_frame: true,
    },
    metadata: { continues: `${idOf(0)} ${idOf(1)}` },
  });
});

test('prepares an edit and an extension of a result, with the same settings', () => {
  const request = { model: 'vidgen-2-0', input: { prompt: 'A boat', resolution: '480p' as const } };
  const inputOf = (type: 'video-editing' | 'video-extension') => {
    const video = { type, model: 'vidgen-2-5', video: 'https://example.com/a.mp4' };
    const form = formOfSearch(searchOfVideo({ id: idOf(1), request }, video), models);
    return requestOf({ ...form!, prompt: 'It snows' }, modelNamed('vidgen-2-5')).input;
  };
  const same = {
    prompt: 'It snows',
    generation_type: 'reference-to-video',
    aspect_ratio: 'adaptive',
    video_urls: ['https://example.com/a.mp4'],
    resolution: '480p',
  };
  assert.deepEqual(inputOf('video-editing'), { ...same, duration: -1 });
  assert.deepEqual(inputOf('video-extension'), { ...same, duration: 5 });
});

test('starts another story after ten shots, and knows so before', () => {
  assert.equal(nextRequest(9).metadata?.continues?.split(' ').length, 9);
  assert.equal(nextRequest(10).metadata, undefined);
  const taskAfter = (shots: number) => ({
    metadata: { continues: Array.from({ length: shots }, (_, at) => idOf(at)).join(' ') },
  });
  assert.equal(isStoryFull(taskAfter(8)), false);
  assert.equal(isStoryFull(taskAfter(9)), true);
  assert.equal(isStoryFull({}), false);
});
