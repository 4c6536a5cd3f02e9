/** Files of a declared provider: where its videos are read from, and materials as content. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import { readResult, sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import { phases, problem } from '../../../proof/kit/declared/fake-lumen.ts';
import {
  declaredLumen,
  pollLumen as poll,
  withLumen,
} from '../../../proof/kit/declared/fixture.ts';
import { json } from '../../../proof/kit/fake-upstream.ts';
import type { DeclaredOptions } from './declared.ts';
import { DeclaredSettings } from './settings.ts';

const {
  status: { video: _, ...statusWithoutVideo },
} = DeclaredSettings.parse(declaredLumen);
const done = (fields: object) => json(200, { render: { phase: phases.done }, ...fields });

describe('a file that is looked up', () => {
  const file = { id: 'file', path: '/files?id={{file}}', video: 'url' };
  const change = { status: { ...statusWithoutVideo, file }, results: 'public' } as const;

  test('stays pending when the second call fails, because the video is paid for', () =>
    withLumen(change, async (fake, provider) => {
      for (const response of [problem(500, 'internal', 'Sorry.'), json(200, {}), json(404, {})]) {
        const result = await poll(fake, provider, done({ file: 7 }), response);
        assert.ok(result.outcome === 'pending' && result.alert, JSON.stringify(result));
      }
      assert.equal((await poll(fake, provider, done({}))).outcome, 'failed');
    }));
});

test('saves a video that is in the response as base64', () =>
  withLumen({ status: { ...statusWithoutVideo, videoBase64: 'data' } }, async (fake, provider) => {
    const bytes = Buffer.alloc(9 * 1024 ** 2, 'video');
    for (const prefix of ['', 'data:video/mp4;base64,']) {
      const data = prefix + bytes.toString('base64');
      const result = await poll(fake, provider, done({ data }));
      assert.ok(result.outcome === 'completed', 'a longer body than of other polls');
      assert.ok(bytes.equals(await readResult(result.video)));
    }
    for (const data of ['', 'not base64!', 7]) {
      assert.equal((await poll(fake, provider, done({ data }))).outcome, 'failed');
    }
  }));

describe('materials as content', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000080000000808020000', 'hex');
  const withImage = (bytes: Buffer): Partial<DeclaredOptions> => ({
    fetchMaterial: async ({ into }) => {
      await writeFile(into, bytes);
      return { saved: true };
    },
  });
  const imageUrls = ['https://cdn.example.test/a.png'];
  const request = sampleStart({ generationType: 'image-to-video', imageUrls });

  test('are downloaded and sent as base64 or as a data URL', async () => {
    const expected = {
      base64: png.toString('base64'),
      'data-url': `data:image/png;base64,${png.toString('base64')}`,
    };
    for (const materials of ['base64', 'data-url'] as const) {
      await withLumen({ ...withImage(png), materials }, async (fake, provider) => {
        assert.equal(provider.downloadsMaterials, true);
        assert.ok(
          provider.imageFormats?.includes('PNG') && !provider.imageFormats.includes('HEIC'),
        );
        await startAccepted(provider, request);
        assert.equal(fake.renders[0]!.job.from, expected[materials]);
      });
    }
  });

  test('are refused without a call when one cannot be fetched or all are too large', async () => {
    const large = Buffer.concat([png, Buffer.alloc(25 * 1024 ** 2)]);
    await withLumen({ materials: 'base64' }, async (fake, provider) => {
      const result = await provider.start(request);
      assert.partialDeepStrictEqual(result, { outcome: 'rejected', reason: 'material' });
      assert.equal(fake.requests.length, 0);
    });
    await withLumen({ ...withImage(large), materials: 'base64' }, async (fake, provider) => {
      const result = await provider.start(request);
      assert.partialDeepStrictEqual(result, { outcome: 'rejected', canFailOver: true });
      assert.equal(fake.requests.length, 0);
    });
  });
});
