/** Errors in OpenAI's shape, with the field and whether to repeat the request. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { type ErrorCode, errorTable } from '@vidgen/contract/error-response.ts';
import { OpenAiErrorResponse } from '@vidgen/contract/openai-videos.ts';
import { openAiError } from './definition.ts';

describe('the field of an error', () => {
  for (const [message, param] of [
    ['seconds must be 4 to 30 for vidgen-2-5 (got 45); size must be WIDTHxHEIGHT', 'seconds'],
    ['input_reference.image_url is required', 'input_reference.image_url'],
    ['video is 1 s long; each video must be 4 to 30 s for video editing', 'video'],
    ['character_ids[0] is not a known field', 'character_ids'],
    ['Prompt is not a known field, did you mean prompt?', 'Prompt'],
    ['__proto__ is not a known field', '__proto__'],
    ['the body must be a JSON object (got nothing)', null],
    ['The body is not valid JSON.', null],
  ] as const) {
    test(`is ${param}: ${message}`, () => {
      const { body } = openAiError(new ApiError('invalid_request', message));
      assert.equal(OpenAiErrorResponse.parse(body).error.param, param);
    });
  }
});

test('only a rate limit and our own failure may be repeated', () => {
  const repeated = (Object.keys(errorTable) as ErrorCode[]).filter((code) => {
    const { status, headers } = openAiError(new ApiError(code, 'A message.'));
    assert.equal(status, errorTable[code].http);
    return headers?.['x-should-retry'] !== 'false';
  });
  assert.deepEqual(repeated, ['rate_limited', 'internal_error']);
});
