/** Provider conformance of every dialect, and how a start is sent. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import { sampleGeneration, sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import { harnessOf, withFake } from '../../../proof/kit/openai-videos/fixture.ts';
import { dialectNames, dialects } from './dialect.ts';
import { unsupportedReason } from './unsupported.ts';

for (const dialect of dialectNames) {
  describeConformance(`openai-videos (${dialect})`, harnessOf(dialect));
}

const withFrame = (url: string): Partial<Generation> => ({
  generationType: 'image-to-video',
  imageUrls: [url],
  aspectRatio: 'adaptive',
});
const frameUrl = 'https://cdn.example.test/frame.png';

describe('start', () => {
  test('sends JSON to SGLang when there is no file', () =>
    withFake('sglang', async (fake, provider) => {
      await startAccepted(provider);
      const { isForm, fields } = fake.started()[0]!.create;
      assert.deepEqual([isForm, fields.seconds], [false, 5]);
    }));

  test('uploads the first frame under our own name and sends no URL', async () => {
    for (const dialect of ['vllm', 'sglang'] as const) {
      await withFake(dialect, async (fake, provider) => {
        await startAccepted(
          provider,
          sampleStart(withFrame('https://cdn.example.test/..%2fx.php')),
        );
        const { isForm, fields, files } = fake.started()[0]!.create;
        const [file] = files;
        assert.deepEqual([isForm, file?.name, file?.type], [true, 'first-frame.png', 'image/png']);
        assert.deepEqual(Object.keys(fields).sort(), ['model', 'prompt', 'seconds', 'size']);
        assert.equal(fields.size, '960x960', 'the shape of the frame');
      });
    }
  });

  test('sends the reference as the idempotency key where that is configured', async () => {
    const on = { idempotencyKey: true };
    for (const [dialect, adapter, isSent] of [
      ['vidgen', {}, true],
      ['vidgen', { idempotencyKey: false }, false],
      ['gateway', {}, false],
      ['gateway', on, true],
      ['openrouter', on, true],
      ['sglang', on, true],
    ] as const) {
      await withFake({ dialect, adapter }, async (fake, provider) => {
        const start = sampleStart();
        await startAccepted(provider, start);
        const { headers } = fake.requests.at(-1)!;
        assert.equal(headers['idempotency-key'], isSent ? start.reference : undefined);
        assert.equal(provider.protection, isSent ? 'idempotency-key' : 'none');
        assert.ok(!String(fake.started()[0]!.create.fields.model).includes('#'), 'no mark');
      });
    }
  });
});

test('returns a message for the customer for what it cannot make', () => {
  const limits = { dialect: dialects.openai, sizes: {}, seconds: dialects.openai.seconds };
  const table: readonly (readonly [Partial<Generation>, string | null])[] = [
    [{}, null],
    [{ generationType: 'image-to-video', imageUrls: [frameUrl], aspectRatio: 'adaptive' }, null],
    [{ webSearch: true, returnLastFrame: true, generateAudio: true, seed: 7 }, null],
    [
      { generationType: 'reference-to-video', imageUrls: [frameUrl] },
      'input.generation_type reference-to-video is not supported',
    ],
    [
      { generationType: 'image-to-video', imageUrls: [frameUrl, frameUrl] },
      'input.image_urls with a last frame is not supported',
    ],
    [{ duration: -1 }, 'input.duration -1 is not supported'],
    [{ duration: 5 }, 'input.duration 5 is not supported (only 4, 8, or 12)'],
    [{ watermark: true }, 'input.watermark true is not supported'],
    [{ resolution: '4k' }, 'input.resolution 4k is not supported'],
    [{ aspectRatio: '21:9' }, 'input.aspect_ratio 21:9 is not supported at 720p'],
  ];
  for (const [change, message] of table) {
    assert.equal(unsupportedReason(sampleGeneration({ duration: 4, ...change }), limits), message);
  }
});
