import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutMissing } from './fonts.ts';

test('keeps what Inter has, in every script of it', () => {
  for (const text of ['A red door, at dusk — “slowly”…', 'Ελλάδα', 'Москва ночью', 'Tiếng Việt']) {
    assert.equal(withoutMissing(text), text);
  }
});

test('leaves out what no font of this machine can draw', () => {
  assert.equal(withoutMissing('left \u{10fffe} right'), 'left right');
});
