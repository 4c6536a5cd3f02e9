/**
 * Each preset against exchanges from its vendor's documentation: the requests that starts become,
 * and what the responses mean. How a description is carried out is in `declared.test.ts`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PresetModel } from '@vidgen/contract/admin-presets.ts';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { ModelDeclaration } from '@vidgen/contract/model-declaration.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { presets } from '../../../presets/all.ts';
import { kling } from '../../../presets/kling.ts';
import { luma } from '../../../presets/luma.ts';
import { priced } from '../../../presets/models.ts';
import { runway } from '../../../presets/runway.ts';
import { wan } from '../../../presets/wan.ts';
import { xai } from '../../../presets/xai.ts';
import { callbackUrlAt, fetchBytes, withCallbacks } from '../../../proof/kit/conformance-faults.ts';
import {
  sampleGeneration,
  sampleStart,
  sampleStatus,
} from '../../../proof/kit/conformance-fixture.ts';
import { declaredProvider } from '../../../proof/kit/declared/declared-provider.ts';
import { material, namedVendors } from '../../../proof/kit/declared/named-exchanges.ts';
import {
  callback_url,
  first,
  frames,
  klingError,
  klingTask,
  reference,
  references,
  resultUrl,
  vendors,
  wanOutput,
} from '../../../proof/kit/declared/preset-exchanges.ts';
import { declined, FakeUpstream, htmlPage, json } from '../../../proof/kit/fake-upstream.ts';
import { modelOf } from '../../catalog/declared-model.ts';
import { modelRouteProblems } from '../../lifecycle/checks/model-routes.ts';
import { createProviders } from '../kinds.ts';
import type { Provider, StartResult, StatusResult } from '../provider.ts';
import { unsupported } from '../settings.ts';
import type { DeclaredSettings } from './settings.ts';

const adapterDeps = {
  fetchMaterial: async () => ({ saved: false }),
  read: () => () => '',
  materialBytesMax: { image: 1, video: 1, audio: 1 },
  tempFolder: '/nowhere',
};

class Vendor extends FakeUpstream<'any'> {
  readonly apiKey = 'vendor-key';
  override basePath = '';
  protected override operationOf = () => 'any' as const;
  protected override rejection = () => null;
  protected override work = () => htmlPage;

  /** The calls since the last time. */
  calls() {
    return this.requests.splice(0).map(({ method, path }) => `${method} ${path}`);
  }
}

async function withPreset(
  preset: DeclaredSettings,
  run: (vendor: Vendor, provider: Provider) => Promise<void>,
): Promise<void> {
  await using vendor = await Vendor.start();
  vendor.basePath = new URL(preset.baseUrl).pathname.replace(/\/$/, '');
  const change = { fetchMaterial: fetchBytes(material) };
  const provider = withCallbacks(
    declaredProvider(preset, { name: 'preset', fake: vendor, change }),
  );
  try {
    await run(vendor, provider);
  } finally {
    await provider.close?.();
  }
}

const start = (change: Partial<Generation> = {}) => sampleStart(change, { reference });

/** The reason of a failure with the rejected part, or the outcome; `alert` for an odd status. */
function meaningOf(result: StartResult | StatusResult): string {
  if ('reason' in result) return [result.reason, result.rejectedPart].join(' ').trim();
  if (result.outcome !== 'pending') return result.outcome;
  return result.alert ? 'alert' : `pending ${result.progress ?? ''}`.trim();
}

for (const [name, exchanges] of Object.entries({ ...vendors, ...namedVendors })) {
  const { preset, starts, accepted, headers = {}, protection = 'none', model } = exchanges;
  const { authHeader = { authorization: 'Bearer vendor-key' } } = exchanges;
  const startOf = (change: Partial<Generation> = {}) =>
    start({ ...(model === undefined ? {} : { model }), ...change });

  test(`${name}: what a start sends, and what each response means`, () =>
    withPreset(preset, async (vendor, provider) => {
      assert.equal(provider.protection, protection);
      for (const [change, request, body] of starts) {
        vendor.next('any', declined(accepted));
        const result = await provider.start(startOf(change));
        assert.deepEqual(result, { outcome: 'accepted', operation: 'job-1' });
        const sent = vendor.requests.at(-1)!;
        assert.deepEqual(JSON.parse(String(sent.body)), body);
        assert.partialDeepStrictEqual(sent.headers, { ...headers, ...authHeader });
        assert.deepEqual(vendor.calls(), [request]);
      }
      for (const [response, meaning] of exchanges.declined ?? []) {
        vendor.next('any', declined(response));
        const result = await provider.start(startOf());
        assert.equal(meaningOf(result), meaning, String(response.body));
        // Another provider would refuse content too.
        if ('canFailOver' in result) assert.equal(result.canFailOver, meaning === 'failed');
      }
    }));

  test(`${name}: what each response to a poll means`, () =>
    withPreset(preset, async (vendor, provider) => {
      for (const [response, meaning] of exchanges.polls) {
        vendor.next('any', ...[response].flat().map(declined));
        const result = await provider.status(sampleStatus('job-1', startOf()));
        assert.equal(meaningOf(result), meaning, JSON.stringify(response));
        if (result.outcome === 'completed') {
          if (preset.results === 'with-key') assert.ok('download' in result.video);
          else assert.deepEqual(result.video, { url: resultUrl });
        }
        assert.equal(vendor.calls()[0], exchanges.poll);
      }
      if (!exchanges.callback) return;
      const body = Buffer.from(JSON.stringify(exchanges.callback));
      const hint = await provider.readCallback!({ reference, headers: {}, body });
      assert.deepEqual(hint, { outcome: 'hint', operation: 'job-1' });
    }));
}

describe('a start whose response was lost', () => {
  const found = { outcome: 'found', operation: 'job-1' };

  test('is found at Kling by our id, below the path of its generation type', () =>
    withPreset(kling, async (vendor, provider) => {
      const data = { task_id: 'job-1', task_info: { external_task_id: reference } };
      vendor.next('any', declined(klingTask(data)), declined(klingError(404, 1203)));
      const { generation } = start(frames);
      assert.deepEqual(await provider.find!(reference, generation, 10), found);
      assert.deepEqual(vendor.calls(), ['GET /v1/videos/image2video/ref_1']);
      const never = await provider.find!(reference, generation, 86_400);
      assert.equal(never.outcome, 'unknown', 'no second start without proof');
    }));

  test('is found at Luma in its list, by the callback URL', () =>
    withPreset(luma, async (vendor, provider) => {
      const generations = [
        { id: 'other', request: { callback_url: callbackUrlAt('preset')('ref_2') } },
        { id: 'job-1', request: { callback_url } },
      ];
      vendor.next('any', declined(json(200, { generations })));
      assert.deepEqual(await provider.find!(reference, start().generation, 10), found);
      assert.deepEqual(vendor.calls(), ['GET /dream-machine/v1/generations?limit=100']);
    }));
});

test('cancels what is queued at Runway and Wan, and leaves what runs', async () => {
  const runwayStates = ['PENDING', 'CANCELLED', 'RUNNING'].map((status) => json(200, { status }));
  const wanStates = ['PENDING', 'CANCELED', 'RUNNING'].map((status) =>
    wanOutput({ task_status: status }),
  );
  for (const [preset, states, cancel] of [
    [runway, runwayStates, 'DELETE /v1/tasks/job-1'],
    [wan({ workspace: 'ws-1' }), wanStates, 'POST /api/v1/tasks/job-1/cancel'],
  ] as const) {
    await withPreset(preset, async (vendor, provider) => {
      const [queued, cancelled, running] = states.map(declined);
      vendor.next('any', queued!, declined(json(200, {})), cancelled!);
      assert.equal(await provider.cancel('job-1'), 'stopped');
      assert.equal(vendor.calls()[1], cancel);
      vendor.next('any', running!);
      assert.equal(await provider.cancel('job-1'), 'running');
      assert.equal(vendor.calls().length, 1);
    });
  }
});

test('sells only models that it makes, under valid names and at any price', async () => {
  for (const [preset, { provider: settings, models, exampleUrl = '' }] of Object.entries(presets)) {
    assert.ok(Object.keys(models).length > 0, preset);
    for (const [name, model] of Object.entries(models)) {
      PresetModel.parse({ name, ...model });
      const declared = priced(
        model,
        Object.fromEntries(model.resolutions.map((one) => [one, { perSecond: 1 }])),
      );
      assert.deepEqual(ModelDeclaration.parse(declared), declared);
      const baseUrl = settings.baseUrl ?? exampleUrl;
      const own = { ...settings, baseUrl, models: { [name]: model.upstream } };
      const [provider] = await createProviders(preset, own, adapterDeps);
      const route = { routeNames: () => [preset], unsupportedReason: provider!.unsupportedReason! };
      assert.deepEqual(modelRouteProblems(modelOf(name, declared, 'file'), route), [], name);
      await provider!.close?.();
    }
  }
});

test('calls Wan at the host of the workspace', () => {
  const { baseUrl } = wan({ workspace: 'ws-1' });
  assert.equal(baseUrl, 'https://ws-1.ap-southeast-1.maas.aliyuncs.com/api/v1');
  const beijing = wan({ workspace: 'ws-1', region: 'cn-beijing' });
  assert.equal(new URL(beijing.baseUrl).host, 'ws-1.cn-beijing.maas.aliyuncs.com');
});

test('makes references at xAI of up to seven images, at 720p at most', () => {
  const why = (change: Partial<Generation>) => unsupported(xai.supports!, sampleGeneration(change));
  assert.equal(why({ resolution: '1080p' }), null);
  assert.equal(why({ ...references, resolution: '720p' }), null);
  assert.match(why({ ...references, resolution: '1080p' })!, /^input\.resolution 1080p is not/);
  return withPreset(xai, async (_, provider) => {
    const imageUrls = Array.from({ length: 8 }, () => first);
    const change = { ...references, videoUrls: [], imageUrls };
    const reason = provider.unsupportedReason!(sampleGeneration(change));
    assert.equal(reason, 'input.image_urls with 8 items is not supported');
  });
});

test('makes Seedance 2.5 at Runway in its own sizes, lengths and prompts', async () => {
  const [provider] = await createProviders('runway', runway, adapterDeps);
  const why = (model: ModelName, change: Partial<Generation>) =>
    provider!.unsupportedReason!(sampleGeneration({ model, ...change }));
  for (const change of [{ duration: 16 }, { prompt: 'x'.repeat(3_501) }]) {
    assert.equal(why('vidgen-2-5', change), null);
    assert.match(why('vidgen-2-0', change)!, /is not supported \(at most/);
  }
  assert.match(why('vidgen-2-5', { resolution: '4k' })!, /^input\.aspect_ratio 16:9 is not/);
  const frame = { generationType: 'image-to-video', imageUrls: [first] } as const;
  assert.match(why('vidgen-2-5', frame)!, /^input\.generation_type image-to-video is not/);
  await provider!.close?.();
});
