/** What vLLM-Omni and SGLang receive for references and edits. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { fetchBytes, startAccepted } from '../../../proof/kit/conformance-faults.ts';
import { sampleGeneration, sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import { makeMedia } from '../../../proof/kit/media-files.ts';
import { withFake } from '../../../proof/kit/openai-videos/fixture.ts';
import { dialects } from './dialect.ts';
import { limitReferences } from './references.ts';
import { unsupportedReason } from './unsupported.ts';

const urls = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `https://cdn.example.test/../${name}-${index}.php`);
const references = (images: number, videos: number, audios: number): Partial<Generation> => ({
  generationType: 'reference-to-video',
  imageUrls: urls('i', images),
  videoUrls: urls('v', videos),
  audioUrls: urls('a', audios),
});
const edit: Partial<Generation> = {
  ...references(0, 1, 0),
  model: 'vidgen-2-5',
  duration: -1,
  aspectRatio: 'adaptive',
};

test('uploads references to vLLM-Omni in order and under our own names', () =>
  withFake('vllm', async (fake, provider) => {
    await startAccepted(provider, sampleStart(references(2, 1, 1)));
    const { fields, files } = fake.started()[0]!.create;
    assert.deepEqual(
      files.map(({ field, name, type }) => [field, name, type]),
      [
        ['input_references', 'image-1.png', 'image/png'],
        ['input_references', 'image-2.png', 'image/png'],
        ['input_references', 'video-1.mp4', 'video/mp4'],
        ['input_references', 'audio-1.mp3', 'audio/mpeg'],
      ],
    );
    assert.deepEqual(Object.keys(fields).sort(), ['model', 'prompt', 'seconds', 'size']);
  }));

test('sends one image with one audio file in the fields that every model of vLLM-Omni reads', () =>
  withFake('vllm', async (fake, provider) => {
    await startAccepted(provider, sampleStart(references(1, 0, 1)));
    const { create } = fake.started()[0]!;
    assert.deepEqual(
      create.files.map(({ field, name }) => [field, name]),
      [['input_reference', 'image-1.png']],
    );
    const { audio_url: url } = JSON.parse(String(create.fields.audio_reference));
    assert.match(url, /^data:audio\/mpeg;base64,/, 'the file itself, no URL to fetch');
  }));

test('uploads an audio file that is too large for a form field', () =>
  withFake(
    {
      dialect: 'vllm',
      adapter: {
        fetchMaterial: async ({ kind, into }) => {
          const head = kind === 'image' ? '89504e470d0a1a0a0000000d49484452' : '49443304';
          await writeFile(into, Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(800_000)]));
          return { saved: true };
        },
      },
    },
    async (fake, provider) => {
      await startAccepted(provider, sampleStart(references(1, 0, 1)));
      const { fields, files } = fake.started()[0]!.create;
      assert.ok(!('audio_reference' in fields));
      assert.deepEqual(
        files.map(({ field, name }) => [field, name]),
        [
          ['input_references', 'image-1.png'],
          ['input_references', 'audio-1.mp3'],
        ],
      );
    },
  ));

test('says that images alone are references, which MiniMax H3 would make its frames', () =>
  withFake(
    { dialect: 'vllm', adapter: { fields: { extra_params: '{"audio_flow_shift":3}' } } },
    async (fake, provider) => {
      for (const count of [1, 3]) {
        await startAccepted(provider, sampleStart(references(count, 0, 0)));
        const { create } = fake.started().at(-1)!;
        assert.deepEqual(JSON.parse(String(create.fields.extra_params)), {
          audio_flow_shift: 3,
          task: 'ref2va',
        });
        assert.equal(create.files.length, count);
      }
      const frame: Partial<Generation> = {
        ...references(1, 0, 0),
        generationType: 'image-to-video',
      };
      await startAccepted(provider, sampleStart(frame));
      const { create } = fake.started().at(-1)!;
      assert.equal(create.fields.extra_params, '{"audio_flow_shift":3}', 'as configured');
    },
  ));

test('an edit is as long as was paid for in whole seconds, and is not sent unpriced', async () => {
  for (const dialect of ['vllm', 'sglang'] as const) {
    await withFake(dialect, async (fake, provider) => {
      const request = sampleStart(edit);
      for (const [pricedSeconds, seconds] of [
        [4, '4'],
        [7.9, '7'],
        [30, '30'],
      ] as const) {
        await startAccepted(provider, { ...request, pricedSeconds } as typeof request);
        assert.equal(fake.started().at(-1)!.create.fields.seconds, seconds);
      }
      const unpriced = { ...request, pricedSeconds: null } as typeof request;
      const expected = { outcome: 'rejected', reason: 'failed', canFailOver: true };
      assert.partialDeepStrictEqual(await provider.start(unpriced), expected);
      assert.equal(fake.started().length, 3);
    });
  }
});

test('an edit has the shape of its source', async () => {
  const square = await makeMedia({ format: 'mp4', video: 'libx264', seconds: 1 });
  const adapter = { fetchMaterial: fetchBytes(square) };
  await withFake({ dialect: 'vllm', adapter }, async (fake, provider) => {
    await startAccepted(provider, sampleStart(edit));
    assert.equal(fake.started()[0]!.create.fields.size, '960x960');
  });
});

test('returns a message for the customer for references that it cannot use', () => {
  const table: readonly (readonly [Partial<Generation>, string | null, string | null])[] = [
    [references(0, 1, 0), null, null],
    [edit, null, null],
    [references(9, 3, 0), null, 'input.image_urls is not supported'],
    [references(1, 0, 1), null, 'input.image_urls is not supported'],
    [
      references(10, 0, 0),
      'input.image_urls with 10 items is not supported (at most 9)',
      'input.image_urls is not supported',
    ],
    [references(0, 2, 0), null, 'input.video_urls with 2 items is not supported (at most 1)'],
    [
      references(8, 3, 2),
      'input.image_urls, video_urls and audio_urls with 13 files is not supported (at most 12)',
      'input.image_urls is not supported',
    ],
    [
      references(0, 0, 1),
      'input.audio_urls without an image or video is not supported',
      'input.audio_urls is not supported',
    ],
  ];
  for (const [change, vllm, sglang] of table) {
    const reasonOf = (dialect: 'vllm' | 'sglang') =>
      unsupportedReason(sampleGeneration(change), {
        dialect: dialects[dialect],
        sizes: {},
        seconds: null,
      });
    assert.deepEqual([reasonOf('vllm'), reasonOf('sglang')], [vllm, sglang]);
  }
});

test('takes no more references than the configuration says the model uses', () => {
  const reasonOf = (change: Partial<Generation>, configured: object) =>
    unsupportedReason(sampleGeneration(change), {
      dialect: dialects.vllm,
      references: limitReferences(dialects.vllm.references, configured),
      sizes: {},
      seconds: null,
    });
  assert.equal(reasonOf(references(0, 1, 0), { videos: 1 }), null);
  assert.match(reasonOf(references(0, 2, 0), { videos: 1 })!, /\(at most 1\)$/);
  assert.match(
    reasonOf(references(1, 0, 0), { videos: 1 })!,
    /^input\.image_urls is not supported$/,
  );
  assert.match(reasonOf(edit, {})!, /^input\.video_urls is not supported$/);
  assert.match(
    reasonOf(references(10, 0, 0), { images: 50 })!,
    /\(at most 9\)$/,
    'no more than vLLM',
  );
});
