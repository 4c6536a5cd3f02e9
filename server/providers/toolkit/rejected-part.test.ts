/** Messages about rejected content, and the part that is reported to the customer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rejectedInputIn, rejectedPartIn } from './rejected-part.ts';

const materials = { materials: true };
const text = { materials: false };

const readings = [
  ['Guardrail blocked the prompt: violence', 'prompt'],
  ['The reference image was flagged as sensitive', 'material'],
  ['input_reference: refused by our moderation system', 'material'],
  ['Input flagged as sensitive (E005)', 'input'],
  ['Guardrail blocked the generated video', 'output'],
  ['The safety checker flagged the output', 'output'],
  ['The input or output was flagged as sensitive', undefined],
  ['NSFW content detected. Try another prompt.', undefined],
  ['an image was flagged', undefined],
] as const;

for (const [message, part] of readings) {
  test(`${message}: ${part ?? 'ambiguous'}`, () => {
    assert.equal(rejectedPartIn(message, materials), part);
  });
}

test('reports the prompt as the rejected input when no files were sent', () => {
  assert.equal(rejectedPartIn('Input flagged as sensitive (E005)', text), 'prompt');
  assert.equal(rejectedPartIn('The output was flagged', text), 'output');
});

test('never reports the output for a rejection at a start', () => {
  assert.equal(rejectedInputIn('Blocked by our moderation system.', text), 'prompt');
  assert.equal(rejectedInputIn('Blocked by our moderation system.', materials), 'input');
  assert.equal(rejectedInputIn('The output of the filter: the last frame', materials), 'input');
});
