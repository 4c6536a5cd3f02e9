/** Which ids of an upstream are read, and that none leads to another endpoint. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asOperation } from './response-values.ts';

const inLiteLlmId = 'litellm:custom_llm_provider:openai;a?'.repeat(8);
const liteLlmId = `video_${Buffer.from(inLiteLlmId).toString('base64')}`;

test('reads any printable id of up to 1,024 characters', () => {
  for (const id of [liteLlmId, 'a/b=+c', '../x', '_', 'x'.repeat(1_024), 'ü:%2e?#&', '...']) {
    assert.equal(asOperation(id), id, id);
  }
});

test('reads no id that is empty, too long, not printable or a step in a path', () => {
  for (const id of ['', '.', '..', 'x'.repeat(1_025), 'a b', 'a\n', 'a\u200b', '\ud800', 7, {}]) {
    assert.equal(asOperation(id), undefined, JSON.stringify(id));
  }
});

test('keeps every id that is read within one part of a path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const id = asOperation(text);
      if (id === undefined) return;
      const { pathname } = new URL(`http://a.test/v1/videos/${encodeURIComponent(id)}`);
      assert.equal(decodeURIComponent(pathname.slice('/v1/videos/'.length)), id);
      assert.equal(pathname.split('/').length, 4);
    }),
  );
});
