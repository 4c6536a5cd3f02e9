import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkGeneration } from '../../../server/catalog/check.ts';
import { problemsOf } from './form-problems.ts';
import { adaptForm, emptyForm, type GenerationForm } from './generation-form.ts';
import { estimateRequestOf, formOfRequest, requestOf } from './generation-request.ts';
import { anyForm, catalog, modelNamed } from './testing/forms.ts';

const model25 = modelNamed('vidgen-2-5');
const model20 = modelNamed('vidgen-2-0');

const messages = (form: Partial<GenerationForm>, model = model25): string[] =>
  problemsOf({ ...emptyForm(model), prompt: 'A paper boat', ...form }, model).map(
    ({ field, message }) => `${field}: ${message}`,
  );

const serverCheck = (request: unknown) =>
  checkGeneration(request, { catalog, checkUrl: () => ({ ok: true }) as never });

test('reports an empty prompt as missing, not as wrong', () => {
  assert.deepEqual(problemsOf(emptyForm(model25), model25), [
    { field: 'prompt', message: 'Describe your video.', isMissing: true },
  ]);
});

test('says by how many characters a prompt is too long, counted like the service', () => {
  assert.deepEqual(messages({ prompt: '🎬'.repeat(10_000) }), []);
  assert.deepEqual(messages({ prompt: '🎬'.repeat(10_002) }), [
    'prompt: Prompts are limited to 10,000 characters. Remove 2.',
  ]);
});

test('reports at its field which material a generation type still needs', () => {
  const audios = ['https://example.com/a.mp3'];
  assert.deepEqual(messages({ type: 'image-to-video' }), ['image_urls: Add a first frame.']);
  assert.deepEqual(messages({ type: 'video-editing' }), ['video_urls: Add the video to edit.']);
  assert.deepEqual(messages({ type: 'reference-to-video' }), [
    'image_urls: Add at least one reference.',
  ]);
  assert.deepEqual(messages({ type: 'reference-to-video', audios }), []);
  assert.deepEqual(messages({ type: 'reference-to-video', audios }, model20), [
    'audio_urls: vidgen-2-0 needs an image or video along with audio.',
  ]);
});

test('says how many materials are too many', () => {
  const images = Array.from({ length: 11 }, (_, index) => `https://example.com/${index}.png`);
  assert.deepEqual(messages({ type: 'reference-to-video', images }, model20), [
    'image_urls: vidgen-2-0 accepts at most 9 images. Remove 2.',
  ]);
  assert.deepEqual(messages({ type: 'image-to-video', images: images.slice(0, 3) }), [
    'image_urls: Image to video accepts at most 2 images. Remove 1.',
  ]);
  assert.deepEqual(messages({ type: 'text-to-video', images }), []);
});

test('rejects invalid URLs before the form is sent', () => {
  assert.deepEqual(messages({ type: 'image-to-video', images: ['cat.png'] }), [
    'image_urls: “cat.png” isn’t a valid URL. Start it with https:// or http://.',
  ]);
  assert.deepEqual(messages({ callbackUrl: 'example.com' }), [
    'callback_url: Enter a valid URL. Start it with https://.',
  ]);
});

test('reports problems exactly when the service would reject the request', () => {
  fc.assert(
    fc.property(anyForm, (generated) => {
      const model = modelNamed(generated.model);
      const { form } = adaptForm(generated, model);
      const problems = problemsOf(form, model);
      const checked = serverCheck(requestOf(form, model));
      assert.equal(checked.ok, problems.length === 0, JSON.stringify([checked, problems]));
    }),
    { numRuns: 500 },
  );
});

test('can estimate every form, even an incomplete one', () => {
  fc.assert(
    fc.property(anyForm, (generated) => {
      const { form } = adaptForm(generated, modelNamed(generated.model));
      assert.equal(serverCheck(estimateRequestOf(form)).ok, true);
    }),
  );
});

test('restores the same request from a task’s request', () => {
  fc.assert(
    fc.property(anyForm, (generated) => {
      const model = modelNamed(generated.model);
      const request = requestOf(adaptForm(generated, model).form, model);
      assert.deepEqual(requestOf(formOfRequest(request), model), request);
    }),
  );
});
