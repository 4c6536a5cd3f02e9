import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../api/api-error.ts';
import { serverProblems } from './form-problems.ts';
import { emptyForm, type GenerationForm } from './generation-form.ts';
import { modelNamed } from './testing/forms.ts';

const form: GenerationForm = {
  ...emptyForm(modelNamed('vidgen-2-5')),
  type: 'reference-to-video',
  images: ['https://a.example/1.png', 'https://a.example/2.png'],
};
const problemsFor = (message: string, code: ApiError['code'] = 'invalid_request') =>
  serverProblems(new ApiError({ code, message }, { status: 400, requestId: null }), form);

test('assigns each part of a validation error to its field', () => {
  assert.deepEqual(problemsFor('input.duration must be 4 to 30; callback_url must use https'), {
    fields: { duration: 'Must be 4 to 30.', callback_url: 'Must use https.' },
    rest: null,
  });
});

test('names a list item by its position', () => {
  assert.deepEqual(problemsFor('input.image_urls[1] must not be a private address'), {
    fields: { image_urls: 'Image 2 must not be a private address.' },
    rest: null,
  });
});

test('keeps messages that are about no field', () => {
  assert.deepEqual(problemsFor('the total number of materials must be at most 50'), {
    fields: {},
    rest: 'the total number of materials must be at most 50',
  });
  assert.equal(problemsFor('needs 40 credits', 'insufficient_credits').rest, 'needs 40 credits');
});
