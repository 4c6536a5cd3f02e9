/** Keys have one form, and no outside text can make them point elsewhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isKey, isPrefix, parseKey, resultKey } from './storage.ts';

const taskId = 'task_01k9zq0c8vf5tbn3x6y7m2r4aw';

test('builds keys from task, attempt and name, and parses them again', () => {
  const key = resultKey({ taskId, attempt: 2, name: 'video.mp4' });
  assert.equal(key, `${taskId}/2/video.mp4`);
  assert.deepEqual(parseKey(key), {
    taskId,
    attempt: 2,
    name: 'video.mp4',
    contentType: 'video/mp4',
  });
});

test('rejects every key that could leave its folder or be hidden in it', () => {
  const hostile = [
    '',
    '/',
    'video.mp4',
    `${taskId}/video.mp4`,
    `/${taskId}/1/video.mp4`,
    `${taskId}/1/video.mp4/`,
    `${taskId}/1/../video.mp4`,
    `../1/video.mp4`,
    `${taskId}/../video.mp4`,
    `${taskId}/1/..`,
    `${taskId}/1/.mp4`,
    `.incoming/1/video.mp4`,
    `${taskId}/0/video.mp4`,
    `${taskId}/-1/video.mp4`,
    `${taskId}/1.5/video.mp4`,
    `${taskId}\\1\\video.mp4`,
    `${taskId}/1/video.mp4\0`,
    `${taskId}/1/video.mp4\n`,
    `${taskId}/1/%2e%2e.mp4`,
    `${taskId}/1/VIDEO.MP4`,
    `${taskId}/1/page.html`,
    `${taskId}/1/video.mp4.html`,
    `${taskId}/1/drawing.svg`,
    `C:/1/video.mp4`,
  ];
  for (const key of hostile) {
    assert.equal(isKey(key), false, key);
    assert.throws(() => parseKey(key), /not a storage key/);
  }
});

test('rejects parts with a separator, a leading dot or unusual characters', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer(), fc.string(), (task, attempt, name) => {
      const key = `${task}/${attempt}/${name}`;
      if (!isKey(key)) return;
      assert.match(key, /^[a-z0-9_]+\/[0-9]+\/[a-z0-9-]+\.[a-z0-9]+$/);
    }),
  );
});

test('accepts only the prefixes of everything, a task or an attempt', () => {
  for (const prefix of ['', `${taskId}/`, `${taskId}/1/`]) assert(isPrefix(prefix), prefix);
  for (const prefix of [
    '/',
    '..',
    '../',
    `${taskId}`,
    `${taskId}/../`,
    `${taskId}/1`,
    '.incoming/',
  ]) {
    assert(!isPrefix(prefix), prefix);
  }
});
