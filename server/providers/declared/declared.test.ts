/** Provider conformance of a description, and what applies to every description. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { fetchBytes, startAccepted } from '../../../proof/kit/conformance-faults.ts';
import {
  readResult,
  sampleGeneration,
  sampleStart,
  startGeneration,
} from '../../../proof/kit/conformance-fixture.ts';
import { FakeLumen, phases, problem } from '../../../proof/kit/declared/fake-lumen.ts';
import {
  declaredLumen,
  harness,
  lumenAdapter,
  pollLumen as poll,
  withLumen,
} from '../../../proof/kit/declared/fixture.ts';
import { declined, json } from '../../../proof/kit/fake-upstream.ts';
import type { Provider } from '../provider.ts';
import { DeclaredSettings } from './settings.ts';

describeConformance('declared', harness);

describe('results', () => {
  const completed = async (fake: FakeLumen, provider: Provider, href: string) => {
    const { poll } = await startGeneration({ provider });
    const assets = [{}, { href }];
    const response = json(200, { render: { phase: phases.done, assets } });
    fake.next('get', { work: 'not-done', response });
    const result = await poll();
    assert.ok(result.outcome === 'completed', JSON.stringify(result));
    return result.video;
  };

  test('sends the API key to the configured host only', () =>
    withLumen({}, async (fake, provider) => {
      const elsewhere = 'https://cdn.example.test/v.mp4';
      assert.deepEqual(await completed(fake, provider, elsewhere), { url: elsewhere });
      const sly = `//cdn.example.test/v.mp4`;
      const own = `${new URL(fake.baseUrl).origin}/files/1.mp4`;
      assert.ok('download' in (await completed(fake, provider, own)));
      await assert.rejects(completed(fake, provider, sly), /without a video/);
    }));

  test('downloads public URLs without the key and accepts no path as a public URL', () =>
    withLumen({ results: 'public' }, async (fake, provider) => {
      const own = `${fake.baseUrl}/files/1.mp4`;
      assert.deepEqual(await completed(fake, provider, own), { url: own });
      await assert.rejects(completed(fake, provider, '/files/1.mp4'), /without a video/);
    }));

  test('downloads a video from its own path', async () => {
    await using fake = await FakeLumen.start();
    const provider = lumenAdapter(fake, {
      baseUrl: fake.baseUrl.replace('/v2', ''),
      start: {
        path: '/v2/renders',
        body: { seconds: '{{seconds}}s' },
        operation: 'result.renders[0].id',
      },
      status: {
        path: '/v2/renders/{{operation}}',
        state: 'render.phase',
        states: { '2': 'completed' },
        videoPath: '/files/{{operation}}.mp4',
      },
    });
    const { operation, poll } = await startGeneration({ provider });
    Object.assign(fake.render(operation), { phase: phases.done, hasFile: true });
    const result = await poll();
    assert.ok(result.outcome === 'completed');
    assert.ok((await readResult(result.video)).length > 0);
    await provider.close?.();
  });
});

test('reports stopped only when a read shows it', () =>
  withLumen({}, async (fake, provider) => {
    const operation = await startAccepted(provider);
    fake.next('get', { work: 'not-done', response: json(200, { render: { phase: 1 } }) });
    // The cancel has no effect.
    fake.next('get', { work: 'not-done', response: json(200, {}) });
    fake.next('get', { work: 'not-done', response: json(200, { render: { phase: 1 } }) });
    assert.equal(await provider.cancel(operation), 'unknown');
    assert.equal(await provider.cancel(operation), 'stopped');
  }));

test('knows by a code that an operation was cancelled at the upstream', () =>
  withLumen(
    {
      errors: { ...declaredLumen.errors, reasons: { withdrawn: 'cancelled' }, ends: ['withdrawn'] },
    },
    async (fake, provider) => {
      const { operation, poll } = await startGeneration({ provider });
      const running = declined(json(200, { render: { phase: 1 } }));
      const gone = problem(410, 'withdrawn', 'It was withdrawn.');
      Object.assign(fake.render(operation), {
        phase: phases.broken,
        fault: { kind: 'withdrawn', text: 'By an operator.' },
      });
      const detail = 'withdrawn: By an operator.';
      assert.deepEqual(await poll(), { outcome: 'failed', reason: 'failed', detail });
      assert.equal(await provider.cancel(operation), 'stopped', 'failed with the code');
      fake.next('get', running, declined(json(200, {})), declined(gone));
      assert.equal(await provider.cancel(operation), 'stopped', 'an error with the code');
    },
  ));

test('returns a message for the customer for what the description cannot express', () =>
  withLumen({ seconds: [5, 10], ratios: { '16:9': 'wide' } }, async (_, provider) => {
    const unsupported = (change: Partial<Generation>) =>
      provider.unsupportedReason!(sampleGeneration(change));
    const url = 'https://cdn.example.test/file';
    const table: readonly (readonly [Partial<Generation>, string | null])[] = [
      [{}, null],
      [{ seed: 7, webSearch: true, returnLastFrame: true }, null],
      [{ generationType: 'image-to-video', imageUrls: [url, url] }, null],
      [{ generationType: 'reference-to-video', videoUrls: [url] }, null],
      [{ watermark: true }, 'input.watermark true is not supported'],
      [{ duration: -1 }, 'input.duration -1 is not supported'],
      [{ duration: 7 }, 'input.duration 7 is not supported (only 5 or 10)'],
      [{ resolution: '1080p' }, 'input.resolution 1080p is not supported'],
      [{ aspectRatio: '21:9' }, 'input.aspect_ratio 21:9 is not supported at 720p'],
    ];
    for (const [change, message] of table) assert.equal(unsupported(change), message);
  }));

const {
  status: { video: _, ...statusWithoutVideo },
} = DeclaredSettings.parse(declaredLumen);
const done = (fields: object) => json(200, { render: { phase: phases.done }, ...fields });

test('stays pending when the look-up of a file fails, because the video is paid for', () => {
  const file = { id: 'file', path: '/files?id={{file}}', video: 'url' };
  const change = { status: { ...statusWithoutVideo, file }, results: 'public' } as const;
  return withLumen(change, async (fake, provider) => {
    for (const response of [problem(500, 'internal', 'Sorry.'), json(200, {}), json(404, {})]) {
      const result = await poll(fake, provider, done({ file: 7 }), response);
      assert.ok(result.outcome === 'pending' && result.alert, JSON.stringify(result));
    }
    assert.equal((await poll(fake, provider, done({}))).outcome, 'failed');
  });
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
  const withImage = (bytes: Buffer) => ({ fetchMaterial: fetchBytes(bytes) });
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
