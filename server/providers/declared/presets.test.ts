/**
 * Provider conformance of the presets, each against a fake of its vendor.
 *
 * Thorough: eight presets, and the declared kind itself has its tests in `npm test`.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { kling } from '../../../presets/kling.ts';
import { luma } from '../../../presets/luma.ts';
import { runway } from '../../../presets/runway.ts';
import { wan } from '../../../presets/wan.ts';
import { xai } from '../../../presets/xai.ts';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import {
  sampleGeneration,
  sampleStart,
  sampleStatus,
} from '../../../proof/kit/conformance-fixture.ts';
import { FakeVendor, type VendorWire } from '../../../proof/kit/declared/fake-vendor.ts';
import { presetAt, presetHarness } from '../../../proof/kit/declared/preset-harness.ts';
import { klingWire } from '../../../proof/kit/declared/vendors/kling.ts';
import { lumaWire } from '../../../proof/kit/declared/vendors/luma.ts';
import { minimaxWire } from '../../../proof/kit/declared/vendors/minimax.ts';
import { runwayWire } from '../../../proof/kit/declared/vendors/runway.ts';
import { wanWire } from '../../../proof/kit/declared/vendors/wan.ts';
import { wavespeedCallback, wavespeedWire } from '../../../proof/kit/declared/vendors/wavespeed.ts';
import { xaiWire } from '../../../proof/kit/declared/vendors/xai.ts';
import { declined, json } from '../../../proof/kit/fake-upstream.ts';
import { deleteFolder, makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { type ConfigFile, readConfigFile } from '../../config/config-file.ts';
import { unixSeconds } from '../../process/clock.ts';
import { createProviders } from '../kinds.ts';
import type { Provider } from '../provider.ts';
import { unsupported } from '../settings.ts';
import type { DeclaredOptions } from './declared.ts';

describeConformance('preset Kling', presetHarness(klingWire));
describeConformance('preset Luma', presetHarness(lumaWire));
describeConformance('preset MiniMax', presetHarness(minimaxWire));
describeConformance('preset Runway', presetHarness(runwayWire));
describeConformance('preset Wan', presetHarness(wanWire));
describeConformance('preset WaveSpeed', presetHarness(wavespeedWire));
describeConformance('preset xAI', presetHarness(xaiWire));

async function withPreset(
  wire: VendorWire,
  run: (fake: FakeVendor, provider: Provider) => Promise<void>,
  change: Partial<DeclaredOptions> = {},
): Promise<void> {
  await using fake = await FakeVendor.start(wire);
  const provider = presetAt(wire, fake, change);
  try {
    await run(fake, provider);
  } finally {
    await provider.close?.();
  }
}

test('is one line in a configuration file', async (t) => {
  const inline = { providers: { kling, luma: { ...luma, concurrency: 5 } } } satisfies ConfigFile;
  const folder = makeTemporaryFolder('preset');
  t.after(() => deleteFolder(folder));
  const path = join(folder, 'vidgen.config.ts');
  const preset = new URL('../../../presets/kling.ts', import.meta.url).href;
  const text = `import { kling } from '${preset}';\nexport default { providers: { kling } };\n`;
  writeFileSync(path, text);
  const { providers } = await readConfigFile(path);
  assert.deepEqual(providers, { kling: inline.providers.kling });
});

const imageUrls = ['https://cdn.example.test/a.png', 'https://cdn.example.test/b.png'];

test('finds a lost start at Kling by its own id, for each generation type', () =>
  withPreset(klingWire, async (fake, provider) => {
    for (const change of [{}, { generationType: 'image-to-video', imageUrls } as const]) {
      const request = sampleStart(change);
      fake.next('create', { work: 'done', response: 'lose' });
      assert.equal((await provider.start(request)).outcome, 'unknown');
      const found = await provider.find!(request.reference, request.generation, 10);
      const operation = fake.started.at(-1)!.id;
      assert.deepEqual(found, { outcome: 'found', operation });
      const status = await provider.status(sampleStatus(operation, request));
      assert.equal(status.outcome, 'pending');
    }
    const never = await provider.find!('ref_never', sampleStart().generation, 86_400);
    assert.equal(never.outcome, 'unknown', 'no second start without proof');
  }));

test('finds a lost start at Luma in its list, by the callback URL', () =>
  withPreset(lumaWire, async (fake, provider) => {
    await startAccepted(provider);
    const request = sampleStart();
    fake.next('create', { work: 'done', response: 'lose' });
    await provider.start(request);
    const found = await provider.find!(request.reference, request.generation, 10);
    assert.deepEqual(found, { outcome: 'found', operation: 'job-2' });
  }));

test('declares the protection that each vendor gives', async () => {
  const wires = { klingWire, lumaWire, minimaxWire, runwayWire, wanWire };
  const protections: Record<string, string> = {};
  for (const [name, wire] of Object.entries({ ...wires, wavespeedWire, xaiWire })) {
    await withPreset(wire, async (_fake, { protection }) => {
      protections[name.replace('Wire', '')] = protection;
    });
  }
  assert.deepEqual(protections, {
    ...{ kling: 'look-up', luma: 'look-up', minimax: 'none' },
    ...{ runway: 'none', wan: 'none', wavespeed: 'none', xai: 'none' },
  });
});

describe('cancel', () => {
  for (const [name, wire] of Object.entries({ runway: runwayWire, wan: wanWire })) {
    test(`stops a queued task at ${name}, and leaves a running one`, () =>
      withPreset(wire, async (fake, provider) => {
        assert.equal(await provider.cancel(await startAccepted(provider)), 'stopped');
        const running = await startAccepted(provider);
        fake.job(running)!.state = 'running';
        assert.equal(await provider.cancel(running), 'running');
        assert.equal(fake.job(running)!.state, 'running');
      }));
  }
});

test('verifies callbacks of WaveSpeed when it has the secret', () => {
  const secret = 'whsec_a1b2c3d4e5f60718293a4b5c6d7e8f90';
  return withPreset(
    wavespeedWire,
    async (_fake, provider) => {
      const callback = (key: string) => ({
        reference: 'ref_1',
        ...wavespeedCallback('job-1', { secret: key, atSeconds: unixSeconds() }),
      });
      const read = (key: string) => provider.readCallback!(callback(key));
      assert.deepEqual(await read(secret), { outcome: 'hint', operation: 'job-1' });
      assert.equal((await read('whsec_other')).outcome, 'invalid_signature');
    },
    { webhookSecret: { env: 'WAVESPEED_WEBHOOK_SECRET' }, read: () => () => secret },
  );
});

test('reads the operation in the callbacks of the other vendors', async () => {
  const bodies: readonly (readonly [VendorWire, object])[] = [
    [klingWire, { task_id: 'job-1', task_status: 'succeed' }],
    [lumaWire, { id: 'job-1', state: 'completed' }],
  ];
  for (const [wire, body] of bodies) {
    await withPreset(wire, async (_fake, provider) => {
      const request = { reference: 'ref_1', headers: {}, body: Buffer.from(JSON.stringify(body)) };
      const hint = { outcome: 'hint', operation: 'job-1' };
      assert.deepEqual(await provider.readCallback!(request), hint);
    });
  }
});

test('sends images and audio files as references to xAI, and up to seven images', () =>
  withPreset(xaiWire, async (fake, provider) => {
    const audioUrls = ['https://cdn.example.test/a.mp3'];
    const request = sampleStart({ generationType: 'reference-to-video', imageUrls, audioUrls });
    await startAccepted(provider, request);
    const { images, audios } = xaiWire.received(fake.started[0]!);
    assert.deepEqual(
      images.map(({ url }) => url),
      imageUrls,
    );
    assert.deepEqual(
      audios.map(({ url }) => url),
      audioUrls,
    );
    const eight = Array.from({ length: 8 }, () => imageUrls[0]!);
    const reason = provider.unsupportedReason!({ ...request.generation, imageUrls: eight });
    assert.equal(reason, 'input.image_urls with 8 items is not supported');
  }));

test('reports a video that xAI withholds for moderation as rejected, also with a URL', () =>
  withPreset(xaiWire, async (fake, provider) => {
    const operation = await startAccepted(provider);
    const withheld = [
      { status: 'done', video: { url: '', respect_moderation: false } },
      { status: 'done', video: { url: 'https://v.test/1.mp4', respect_moderation: false } },
      { video: { respect_moderation: false } },
    ];
    for (const body of withheld) {
      fake.next('get', declined(json(200, body)));
      const result = await provider.status(sampleStatus(operation, sampleStart()));
      assert.partialDeepStrictEqual(result, { outcome: 'failed', rejectedPart: 'output' });
    }
  }));

test('makes references at xAI at 720p at most, and other videos at 1080p', () => {
  const references = { generationType: 'reference-to-video', imageUrls } as const;
  const why = (change: Partial<Generation>) => unsupported(xai.supports!, sampleGeneration(change));
  assert.equal(why({ resolution: '1080p' }), null);
  assert.equal(why({ ...references, resolution: '720p' }), null);
  assert.match(why({ ...references, resolution: '1080p' })!, /^input\.resolution 1080p is not/);
});

test('calls Wan at the host of the workspace', () => {
  const { baseUrl } = wan({ workspace: 'ws-1' });
  assert.equal(baseUrl, 'https://ws-1.ap-southeast-1.maas.aliyuncs.com/api/v1');
  const beijing = wan({ workspace: 'ws-1', region: 'cn-beijing' });
  assert.equal(new URL(beijing.baseUrl).host, 'ws-1.cn-beijing.maas.aliyuncs.com');
});

test('folds seeds that are larger than Wan takes', () =>
  withPreset(wanWire, async (fake, provider) => {
    for (const seed of [0, 2_147_483_647, 2_147_483_648, 4_294_967_295]) {
      await startAccepted(provider, sampleStart({ seed }));
    }
    const sent = fake.started.map((job) => wanWire.received(job).seed);
    assert.deepEqual(sent, [0, 2_147_483_647, 0, 2_147_483_647]);
  }));

test('makes Seedance 2.5 at Runway in its own sizes, lengths and prompts', async () => {
  await withPreset(runwayWire, async (fake, provider) => {
    const start = { resolution: '480p', aspectRatio: '16:9', duration: 30 } as const;
    await startAccepted(provider, sampleStart({ ...start, model: 'vidgen-2-5' }));
    await startAccepted(provider, sampleStart({ ...start, duration: 15 }));
    const sent = fake.started.map(({ body: { model, ratio } }) => [model, ratio]);
    assert.deepEqual(sent, [
      ['seedance2_5', '854:480'],
      ['seedance2', '864:496'],
    ]);
  });
  const deps = { fetchMaterial: async () => ({ saved: false }), read: () => () => '' };
  const materialBytesMax = { image: 1, video: 1, audio: 1 };
  const options = { ...deps, materialBytesMax, tempFolder: '/nowhere' };
  const [provider] = await createProviders('runway', runway, options);
  const why = (model: ModelName, change: Partial<Generation>) =>
    provider!.unsupportedReason!(sampleGeneration({ model, ...change }));
  for (const change of [{ duration: 16 }, { prompt: 'x'.repeat(3_501) }]) {
    assert.equal(why('vidgen-2-5', change), null);
    assert.match(why('vidgen-2-0', change)!, /is not supported \(at most/);
  }
  assert.match(why('vidgen-2-5', { resolution: '4k' })!, /^input\.aspect_ratio 16:9 is not/);
  const frame = { generationType: 'image-to-video', imageUrls: [imageUrls[0]!] } as const;
  assert.match(why('vidgen-2-5', frame)!, /^input\.generation_type image-to-video is not/);
  await provider!.close?.();
});
