/** The playground's form: what it offers, how it adapts, its problems, and its URL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import { generationDefaults } from '@vidgen/contract/create-generation.ts';
import fc from 'fast-check';
import { checkGeneration } from '../../../server/catalog/check.ts';
import { ApiError } from '../api/api-error.ts';
import { missingInput, serverProblems } from './form-problems.ts';
import { formOfSearch, playgroundUrlOf, searchOf, searchOfUrl } from './form-url.ts';
import {
  adaptForm,
  emptyForm,
  fieldsOf,
  formDefaults,
  type GenerationForm,
  typesOf,
} from './generation-form.ts';
import { estimateRequestOf, formOfRequest, requestOf } from './generation-request.ts';
import { type PlaygroundSearch, readSearch } from './playground-search.ts';
import { anyForm, catalog, modelNamed, models } from './testing/forms.ts';

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

test('shows only the fields of the model and the generation type', () => {
  assert.ok(typesOf(model25).includes('video-editing'));
  assert.ok(!typesOf(model20).includes('video-editing'));
  const chosen = { videos: [], generateAudio: true };
  const fields = fieldsOf(model25, { type: 'image-to-video', ...chosen });
  assert.deepEqual(fields.aspectRatios, ['adaptive']);
  assert.deepEqual(fields.materials, { images: 2, videos: 0, audios: 0 });
  assert.equal(fields.seed, null);
  assert.deepEqual(fieldsOf(model20, { type: 'text-to-video', ...chosen }).seed, {
    min: 0,
    max: 4_294_967_295,
  });
  assert.equal(fieldsOf(model25, { type: 'video-editing', ...chosen }).duration, null);
});

test('uses the price with video only when a video reference is sent', () => {
  const videos = ['https://example.com/a.mp4'];
  const at720 = (type: 'text-to-video' | 'reference-to-video') =>
    fieldsOf(model25, { type, videos, generateAudio: true }).resolutions.find(
      ({ value }) => value === '720p',
    );
  assert.equal(at720('text-to-video')?.creditsPerSecond, 8);
  assert.equal(at720('reference-to-video')?.creditsPerSecond, 12);
});

test('has the lengths, sound, default size and options of a declared model', () => {
  const kite = modelNamed('kite');
  const form = { ...emptyForm(kite), duration: 5, options: { cfg: 0.5, other: true } };
  assert.equal(form.resolution, '768p');
  const { input } = requestOf(adaptForm(form, kite), kite);
  assert.deepEqual([input.duration, input.options], [6, { cfg: 0.5 }]);
  assert.equal(input.generate_audio, undefined);
  assert.equal(fieldsOf(kite, adaptForm(form, kite)).resolutions[1]?.creditsPerSecond, 8);
});

test('keeps allowed values on a change of model and adjusts the rest', () => {
  const form = {
    ...emptyForm(model20),
    prompt: 'A paper boat',
    resolution: '4k' as const,
    aspectRatio: '9:16' as const,
    seed: 7,
  };
  assert.deepEqual(adaptForm(form, mini), { ...form, model: mini.id, resolution: '720p' });
  assert.equal(adaptForm({ ...emptyForm(model25), duration: 30 }, model20).duration, 15);
  const editing = { ...emptyForm(model25), type: 'video-editing' as const };
  assert.equal(adaptForm(editing, model20).type, 'reference-to-video');
});

test('keeps materials when the generation type or the model changes', () => {
  fc.assert(
    fc.property(anyForm, fc.constantFrom(...models), (form, model) => {
      const adapted = adaptForm(form, model);
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
      const adapted = adaptForm(form, model);
      assert.deepEqual(adaptForm(adapted, model), adapted);
    }),
  );
});

const serverCheck = (request: unknown) =>
  checkGeneration(request, { catalog, checkUrl: () => ({ ok: true }) as never });

test('says at its field which input is still missing', () => {
  const missing = (form: Partial<GenerationForm>, model = model25) =>
    missingInput({ ...emptyForm(model), prompt: 'A paper boat', ...form }, model);
  const audios = ['https://example.com/a.mp3'];
  assert.equal(missing({ prompt: ' ' })?.field, 'prompt');
  assert.equal(missing({}), null);
  assert.equal(missing({ type: 'image-to-video' })?.message, 'Add a first frame.');
  assert.equal(missing({ type: 'video-editing' })?.field, 'video_urls');
  assert.equal(missing({ type: 'reference-to-video' })?.field, 'image_urls');
  assert.equal(missing({ type: 'reference-to-video', audios }), null);
  assert.equal(missing({ type: 'reference-to-video', audios }, model20)?.field, 'audio_urls');
});

test('can estimate every form, even an incomplete one', () => {
  fc.assert(
    fc.property(anyForm, (generated) => {
      const form = adaptForm(generated, modelNamed(generated.model));
      assert.equal(serverCheck(estimateRequestOf(form)).ok, true);
    }),
  );
});

test('restores the same request from a task’s request', () => {
  fc.assert(
    fc.property(anyForm, (generated) => {
      const model = modelNamed(generated.model);
      const request = requestOf(adaptForm(generated, model), model);
      assert.deepEqual(requestOf(formOfRequest(request), model), request);
    }),
  );
});

const form: GenerationForm = {
  ...emptyForm(modelNamed('vidgen-2-5')),
  type: 'reference-to-video',
  images: ['https://a.example/1.png', 'https://a.example/2.png'],
};
const problemsFor = (message: string, code: ApiError['code'] = 'invalid_request') =>
  serverProblems(new ApiError({ code, message }, { status: 400, requestId: null }), form);

test('assigns each part of an error to its field, and keeps the rest', () => {
  assert.deepEqual(problemsFor('input.duration must be 4 to 30; callback_url must use https'), {
    fields: { duration: 'Must be 4 to 30.', callback_url: 'Must use https.' },
    rest: null,
  });
  assert.deepEqual(problemsFor('input.image_urls[1] must not be a private address'), {
    fields: { image_urls: 'Image 2 must not be a private address.' },
    rest: null,
  });
  const rest = 'the total number of materials must be at most 50';
  assert.deepEqual(problemsFor(rest), { fields: {}, rest });
  assert.equal(problemsFor('needs 40 credits', 'insufficient_credits').rest, 'needs 40 credits');
});

/** Writes the search to a URL and reads it back like the router. */
function roundTrip(search: PlaygroundSearch): PlaygroundSearch {
  const { search: params, hash } = playgroundUrlOf(search);
  const url = new URL(`https://example.com/${defaultStringifySearch(params)}#${hash}`);
  const read = readSearch(defaultParseSearch(url.search));
  return searchOfUrl({ search: read, hash: url.hash.slice(1) });
}

test('restores a form from its URL', () => {
  fc.assert(
    fc.property(anyForm, (generated) => {
      const form = adaptForm(generated, modelNamed(generated.model));
      assert.deepEqual(formOfSearch(roundTrip(searchOf(form)), models), form);
    }),
    { numRuns: 300 },
  );
  const large = { ...modelNamed('vidgen-2-0'), default_resolution: '1080p' };
  const form = { ...emptyForm(large), resolution: '720p' };
  assert.deepEqual(formOfSearch(roundTrip(searchOf(form)), [large]), form);
});

test('restores a prompt of any length and keeps the request line short', () => {
  const form = { ...emptyForm(modelNamed('vidgen-2-5')), prompt: '🎬é '.repeat(3000) };
  const { search, hash } = playgroundUrlOf(searchOf(form));
  assert.ok(defaultStringifySearch(search).length < 6000);
  assert.notEqual(hash, '');
  assert.deepEqual(formOfSearch(roundTrip(searchOf(form)), models), form);
});

test('finds no form in a URL that only names a task', () => {
  assert.equal(formOfSearch(roundTrip({ task: 'task_01' }), models), null);
  assert.equal(formOfSearch({}, models), null);
});

test('ignores invalid parameters', () => {
  const search = readSearch({
    model: 'vidgen-9',
    duration: 'long',
    images: 'x',
    generateAudio: 'yes',
    mode: 'test',
    resolution: '8k',
    prompt: 5,
  });
  assert.deepEqual(search, { model: 'vidgen-9', resolution: '8k', prompt: '5' });
  assert.deepEqual(formOfSearch(search, models), { ...emptyForm(models[0]!), prompt: '5' });
  const boatSearch = { prompt: 'boat' };
  assert.deepEqual(searchOfUrl({ search: boatSearch, hash: 'page' }), boatSearch);
  assert.deepEqual(searchOfUrl({ search: boatSearch, hash: 'null' }), boatSearch);
});
