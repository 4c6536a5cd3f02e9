import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generationDefaults } from '@vidgen/contract/create-generation.ts';
import fc from 'fast-check';
import {
  adaptForm,
  emptyForm,
  fieldsOf,
  formDefaults,
  typesOf,
  unusedMaterials,
} from './generation-form.ts';
import { formOfRequest } from './generation-request.ts';
import { anyForm, modelNamed, models } from './testing/forms.ts';

const model25 = modelNamed('vidgen-2-5');
const model20 = modelNamed('vidgen-2-0');
const mini = modelNamed('vidgen-2-0-mini');

test('has the defaults of the contract', () => {
  const { seed: _, ...input } = { ...generationDefaults, prompt: '' };
  const { model: __, ...form } = formOfRequest({
    model: 'vidgen-2-5',
    input: { ...input, image_urls: [], video_urls: [], audio_urls: [] },
  });
  assert.deepEqual(form, formDefaults);
});

test('offers video editing only when the model does', () => {
  assert.ok(typesOf(model25).includes('video-editing'));
  assert.ok(!typesOf(model20).includes('video-editing'));
});

test('shows only the fields of the model and the generation type', () => {
  const fields = fieldsOf(model25, { type: 'image-to-video', videos: [] });
  assert.deepEqual(fields.aspectRatios, ['adaptive']);
  assert.deepEqual(fields.materials, { images: 2, videos: 0, audios: 0 });
  assert.equal(fields.seed, null);
  assert.deepEqual(fieldsOf(model20, { type: 'text-to-video', videos: [] }).seed, {
    min: 0,
    max: 4_294_967_295,
  });
  assert.equal(fieldsOf(model25, { type: 'video-editing', videos: [] }).duration, null);
});

test('uses the price with video only when a video reference is sent', () => {
  const videos = ['https://example.com/a.mp4'];
  const at720 = (type: 'text-to-video' | 'reference-to-video') =>
    fieldsOf(model25, { type, videos }).resolutions.find(({ value }) => value === '720p');
  assert.equal(at720('text-to-video')?.creditsPerSecond, 8);
  assert.equal(at720('reference-to-video')?.creditsPerSecond, 12);
});

test('names the materials that the generation type does not send', () => {
  const form = { ...emptyForm(model25), images: ['https://example.com/a.png'], audios: [' '] };
  assert.deepEqual(unusedMaterials(form), ['images']);
  assert.deepEqual(unusedMaterials({ ...form, type: 'image-to-video' }), []);
});

test('keeps allowed values on a change of model and lists what it adjusted', () => {
  const form = {
    ...emptyForm(model20),
    prompt: 'A paper boat',
    resolution: '4k' as const,
    aspectRatio: '9:16' as const,
    duration: 15,
    seed: 7,
  };
  const { form: adapted, changes } = adaptForm(form, mini);
  assert.equal(adapted.resolution, '720p');
  assert.equal(adapted.aspectRatio, '9:16');
  assert.equal(adapted.duration, 15);
  assert.equal(adapted.prompt, 'A paper boat');
  assert.deepEqual(changes, ['Resolution set to 720p (vidgen-2-0-mini doesn’t support 4k)']);
});

test('shortens the duration to the new model’s maximum', () => {
  const { form, changes } = adaptForm({ ...emptyForm(model25), duration: 30 }, model20);
  assert.equal(form.duration, 15);
  assert.deepEqual(changes, ['Duration set to 15 s (vidgen-2-0 supports 4 to 15 s)']);
});

test('replaces a generation type that the model lacks', () => {
  const { form, changes } = adaptForm({ ...emptyForm(model25), type: 'video-editing' }, model20);
  assert.equal(form.type, 'reference-to-video');
  assert.deepEqual(changes, [
    'Video editing isn’t available with vidgen-2-0. Switched to reference to video',
  ]);
});

test('keeps materials when the generation type or the model changes', () => {
  fc.assert(
    fc.property(anyForm, fc.constantFrom(...models), (form, model) => {
      const { form: adapted } = adaptForm(form, model);
      assert.deepEqual(
        [adapted.images, adapted.videos, adapted.audios, adapted.seed],
        [form.images, form.videos, form.audios, form.seed],
      );
    }),
  );
});

test('changes nothing when an adapted form is adapted again', () => {
  fc.assert(
    fc.property(anyForm, fc.constantFrom(...models), (form, model) => {
      const adapted = adaptForm(form, model).form;
      assert.deepEqual(adaptForm(adapted, model), { form: adapted, changes: [] });
    }),
  );
});
