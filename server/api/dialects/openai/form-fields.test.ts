/** Forms of OpenAI's clients as JSON bodies. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withObjectFields } from './create-video.ts';

const place = { name: 'video', fileField: 'url' };

test('a file stands for its URL, and bracketed names are fields of an object', () => {
  const cases: readonly (readonly [unknown, unknown])[] = [
    [
      { prompt: 'x', video: 'u' },
      { prompt: 'x', video: { url: 'u' } },
    ],
    [
      { prompt: 'x', 'video[id]': 'i' },
      { prompt: 'x', video: { id: 'i' } },
    ],
    [{ video: 'u', 'video[id]': 'i' }, { video: { url: 'u', id: 'i' } }],
    [{ video: { id: 'i' } }, { video: { id: 'i' } }],
    [
      { 'other[id]': 'i', 'video[a][b]': 'c' },
      { 'other[id]': 'i', 'video[a][b]': 'c' },
    ],
    [{ video: ['u', 'v'] }, { video: ['u', 'v'] }],
    ['text', 'text'],
    [null, null],
    [undefined, undefined],
    [[1], [1]],
  ];
  for (const [body, expected] of cases) assert.deepEqual(withObjectFields(body, place), expected);
});
