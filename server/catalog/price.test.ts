/** The default prices, and rounding that is exact to the credit. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Rate as DeclaredRate } from '@vidgen/contract/model-declaration.ts';
import type { ModelName, Resolution } from '@vidgen/contract/models.ts';
import fc from 'fast-check';
import { generationOf } from '../../proof/kit/seed.ts';
import { createCatalog } from './catalog.ts';
import { withPrices } from './customer-prices.ts';
import { minimumPrice, priceOf as priceOfModel } from './price.ts';

const catalog = createCatalog();
const modelOf = ({ model }: Generation) => catalog.find(model)!;
const priceOf = (priced: Generation, longest?: number | null) =>
  priceOfModel(priced, modelOf(priced), longest === undefined ? {} : { videoSeconds: [longest] });

const generation = (fields: Partial<Generation>): Generation =>
  generationOf({ model: 'vidgen-2-5', resolution: '720p', ...fields });

const withVideo = {
  generationType: 'reference-to-video',
  videoUrls: ['https://a.example/v'],
} as const;
const editing = generation({ ...withVideo, duration: -1 });

describe('default prices for 5 seconds, without and with a video reference', () => {
  const rows: [ModelName, Resolution, number, number][] = [
    ['vidgen-2-5', '480p', 20, 30],
    ['vidgen-2-5', '720p', 40, 60],
    ['vidgen-2-5', '1080p', 90, 135],
    ['vidgen-2-0', '480p', 15, 23], // 4.5 per second: 22.5, rounded up.
    ['vidgen-2-0', '720p', 30, 45],
    ['vidgen-2-0', '1080p', 70, 105],
    ['vidgen-2-0', '4k', 150, 225],
    ['vidgen-2-0-fast', '480p', 10, 15],
    ['vidgen-2-0-fast', '720p', 25, 38], // 7.5 per second: 37.5.
    ['vidgen-2-0-mini', '480p', 5, 8], // 1.5 per second: 7.5.
    ['vidgen-2-0-mini', '720p', 15, 23], // 4.5 per second: 22.5.
  ];
  for (const [model, resolution, plain, video] of rows) {
    test(`${model} at ${resolution}`, () => {
      assert.equal(priceOf(generation({ model, resolution })), plain);
      assert.equal(priceOf(generation({ model, resolution, ...withVideo })), video);
    });
  }

  test('image and audio references cost nothing extra', () => {
    const references = { imageUrls: ['https://a.example/i'], audioUrls: ['https://a.example/a'] };
    const generationType = 'reference-to-video';
    assert.equal(priceOf(generation({ generationType, ...references })), 40);
  });
});

test('a fixed price keeps the factor of a video reference, unless it has its own', () => {
  const model = catalog.find('vidgen-2-5')!;
  const priceAt = (rate: DeclaredRate) => {
    const prices = { percent: null, rates: { 'vidgen-2-5': { '720p': rate } } };
    return priceOfModel(generation(withVideo), withPrices(model, prices), { videoSeconds: [] });
  };
  assert.equal(priceAt({ perSecond: 6 }), 45);
  assert.equal(priceAt({ perSecond: 6, perSecondWithVideo: 7 }), 35);
  assert.equal(priceAt({ perTask: 10 }), 10);
});

describe('video editing', () => {
  test('costs as much as an output as long as the longest source', () => {
    assert.equal(priceOf(editing, 10), 120);
    assert.equal(priceOf(editing, 7.34), 89); // 88.08.
  });

  test('costs 30 seconds if a length is unknown', () => {
    assert.equal(priceOf(editing), 360);
    assert.equal(priceOf(editing, null), 360);
  });

  test('costs 4 to 30 seconds for a length at the edge of the rule', () => {
    assert.equal(priceOf(editing, 30.04), 360);
    assert.equal(priceOf(editing, 3.96), 48);
  });

  test('costs at least 4 seconds before the sources are known', () => {
    assert.equal(minimumPrice(editing, modelOf(editing)), 48);
  });

  test('one unknown source makes the longest unknown', () => {
    const priceFor = (videoSeconds: readonly (number | null)[]) =>
      priceOfModel(editing, modelOf(editing), { videoSeconds });
    assert.deepEqual([[4, 12.5, 6], [4, null, 6], []].map(priceFor), [150, 360, 360]);
  });
});

describe('rounding', () => {
  const priceAt = (rate: number, duration: number) => {
    const overrides = { prices: { 'vidgen-2-5': { '720p': rate } } };
    return priceOfModel(generation({ duration }), createCatalog(overrides).find('vidgen-2-5')!);
  };

  test('rounds up, to at least 1', () => {
    assert.equal(priceAt(0, 5), 1);
    assert.equal(priceAt(0.0001, 4), 1);
    assert.equal(priceAt(0.3, 4), 2);
  });

  test('is exact where floating point is not', () => {
    assert.equal(priceAt(1.1, 10), 11); // 11.000000000000002 in floating point.
    assert.equal(priceAt(0.07, 100 / 4), 2);
    assert.equal(priceAt(4.35, 20), 87); // 86.99999999999999.
  });

  test('equals integer arithmetic for any rate and length', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.integer({ min: 4, max: 30 }),
        (tenThousandths, duration) => {
          const exact = (BigInt(tenThousandths) * BigInt(duration) + 9_999n) / 10_000n;
          const expected = exact < 1n ? 1 : Number(exact);
          assert.equal(priceAt(tenThousandths / 10_000, duration), expected);
        },
      ),
    );
  });

  test('the minimum price is never above the price', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 60, noNaN: true }), (longestVideoSeconds) => {
        assert(minimumPrice(editing, modelOf(editing)) <= priceOf(editing, longestVideoSeconds));
      }),
    );
    const plain = generation({});
    assert.equal(minimumPrice(plain, modelOf(plain)), priceOf(plain));
  });
});
