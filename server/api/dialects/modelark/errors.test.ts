/** Errors in ModelArk's shape. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { formatModelArkError } from './errors.ts';

for (const [message, param] of [
  ['duration must be 4 to 30 for vidgen-2-5 (got 45); seed must be an integer', 'duration'],
  ['content[0].text is required', 'content[0].text'],
  ['Prompt is not a known field, did you mean content?', 'Prompt'],
  ['the body must be a JSON object (got nothing)', ''],
  ['The body is not valid JSON.', ''],
] as const) {
  test(`the field of an error is ${param || 'empty'}: ${message}`, () => {
    const { body } = formatModelArkError(new ApiError('invalid_request', message));
    assert.equal((body as { error: { param: string } }).error.param, param);
  });
}
