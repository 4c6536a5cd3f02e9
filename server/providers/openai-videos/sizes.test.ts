import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AspectRatio, ModelName, Resolution } from '@vidgen/contract/models.ts';
import { type DialectName, dialects } from './dialect.ts';
import { type ConfiguredSizes, sizeFor, unsupportedSize } from './sizes.ts';

type Case = {
  readonly dialect?: DialectName;
  readonly model?: ModelName;
  readonly resolution?: Resolution;
  readonly ratio?: AspectRatio;
  readonly sizes?: ConfiguredSizes;
  readonly frame?: readonly [number, number];
};

function read({ dialect = 'vllm', sizes = {}, frame, ...wanted }: Case) {
  const { model = 'vidgen-2-0', resolution = '720p', ratio: aspectRatio = '16:9' } = wanted;
  const generation = { model, resolution, aspectRatio };
  const options = { dialect: dialects[dialect], sizes };
  const shape = frame ? { width: frame[0], height: frame[1] } : null;
  return {
    reason: unsupportedSize(generation, options),
    size: sizeFor(generation, shape, options),
  };
}

test('requests the sizes of our catalog, in blocks for open models', () => {
  const table: readonly (readonly [Case, string])[] = [
    [{ ratio: '16:9' }, '1280x720'],
    [{ ratio: '4:3' }, '1120x832'],
    [{ ratio: '21:9' }, '1472x624'],
    [{ ratio: '4:3', dialect: 'gateway' }, '1112x834'],
    [{ resolution: '480p' }, '864x496'],
    [{ resolution: '480p', model: 'vidgen-2-5' }, '848x480'],
    [{ resolution: '1080p', ratio: '9:16' }, '1088x1920'],
    [{ resolution: '1080p', ratio: '9:16', dialect: 'gateway' }, '1080x1920'],
  ];
  for (const [wanted, size] of table) {
    assert.deepEqual(read(wanted), { reason: null, size }, JSON.stringify(wanted));
  }
});

test('follows the first frame for adaptive, and is 16:9 without one', () => {
  assert.equal(read({ ratio: 'adaptive' }).size, '1280x720');
  assert.equal(read({ ratio: 'adaptive', frame: [900, 1600] }).size, '720x1280');
  const [width, height] = read({ ratio: 'adaptive', frame: [1000, 800] }).size!.split('x');
  assert.ok(Math.abs(Number(width) / Number(height) - 1.25) < 0.05);
  assert.deepEqual([Number(width) % 16, Number(height) % 16], [0, 0]);
});

test('has the few sizes of OpenAI and chooses the nearest for adaptive', () => {
  const openai = { dialect: 'openai' } as const;
  assert.equal(read({ ...openai, ratio: '9:16' }).size, '720x1280');
  assert.equal(read({ ...openai, ratio: 'adaptive', frame: [1000, 1100] }).size, '720x1280');
  assert.equal(read({ ...openai, ratio: 'adaptive' }).size, '1280x720');
  assert.deepEqual(read({ ...openai, ratio: '1:1' }), {
    reason: 'input.aspect_ratio 1:1 is not supported at 720p',
    size: null,
  });
  assert.deepEqual(read({ ...openai, resolution: '480p' }), {
    reason: 'input.resolution 480p is not supported',
    size: null,
  });
});

test('makes a configured model in its configured sizes only', () => {
  const sizes = { 'vidgen-2-0': { '480p': { '16:9': '832x480', '9:16': '480x832' } } } as const;
  assert.equal(read({ sizes, resolution: '480p' }).size, '832x480');
  assert.equal(
    read({ sizes, resolution: '480p', ratio: 'adaptive', frame: [3, 4] }).size,
    '480x832',
  );
  assert.match(read({ sizes, resolution: '480p', ratio: '4:3' }).reason!, /aspect_ratio 4:3/);
  assert.match(read({ sizes }).reason!, /resolution 720p/);
  assert.equal(
    read({ sizes, model: 'vidgen-2-5' }).size,
    '1280x720',
    'other models keep the catalog',
  );
});

test('requests 4k only when the configured sizes have it', () => {
  assert.match(read({ resolution: '4k' }).reason!, /resolution 4k/);
  const sizes = { 'vidgen-2-0': { '4k': { '16:9': '3840x2160' } } } as const;
  assert.deepEqual(read({ resolution: '4k', sizes }), { reason: null, size: '3840x2160' });
});
