/** Errors in the shapes of other APIs: the field, and whether to repeat the request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { type ErrorCode, errorTable } from '@vidgen/contract/error-response.ts';
import { formatModelArkError } from './modelark/errors.ts';
import { openAiError } from './openai/definition.ts';

for (const [message, param, modelArkParam = param] of [
  ['seconds must be 4 to 30 for vidgen-2-5 (got 45); size must be WIDTHxHEIGHT', 'seconds'],
  ['input_reference.image_url is required', 'input_reference.image_url'],
  ['character_ids[0] is not a known field', 'character_ids', 'character_ids[0]'],
  ['Prompt is not a known field, did you mean prompt?', 'Prompt'],
  ['__proto__ is not a known field', '__proto__'],
  ['the body must be a JSON object (got nothing)', null, ''],
  ['The body is not valid JSON.', null, ''],
] as const) {
  test(`the field of an error is ${param}: ${message}`, () => {
    const error = new ApiError('invalid_request', message);
    assert.partialDeepStrictEqual(openAiError(error).body, { error: { param } });
    assert.partialDeepStrictEqual(formatModelArkError(error).body, {
      error: { param: modelArkParam },
    });
  });
}

test('only a rate limit and our own failure may be repeated', () => {
  for (const format of [openAiError, formatModelArkError]) {
    const repeated = (Object.keys(errorTable) as ErrorCode[]).filter((code) => {
      const { status, headers } = format(new ApiError(code, 'A message.'));
      assert.equal(status, errorTable[code].http);
      return headers?.['x-should-retry'] !== 'false';
    });
    assert.deepEqual(repeated, ['rate_limited', 'internal_error']);
  }
});
