/** A vidgen as the upstream of another one, in OpenAI's format: nothing starts twice. */
import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createOpenAiVideos } from '../../server/providers/openai-videos/openai-videos.ts';
import { timing } from '../kit/conformance-faults.ts';
import { readResult, sampleStart, sampleStatus } from '../kit/conformance-fixture.ts';
import { startJourney } from '../kit/journey.ts';
import { resultFramePath } from '../kit/result-server.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';

test('repeats a start, reads how it ended, and stops what still runs', async () => {
  const held = Promise.withResolvers<void>();
  await using journey = await startJourney({
    script: ({ generation: { prompt } }) => {
      if (prompt === 'rejected') return { status: ['rejected'] };
      const slow = { step: 'pending', until: held.promise } as const;
      return prompt === 'slow' ? { status: [slow], cancel: ['running', 'stopped'] } : {};
    },
  });
  const { service, provider: inner } = journey;
  const tempFolder = makeTemporaryFolder('vidgen-upstream');
  const { key, client } = await service.account({ live: 1_000 });
  const provider = createOpenAiVideos({
    ...timing(),
    name: 'other',
    dialect: 'vidgen',
    baseUrl: `${service.url}/v1`,
    apiKey: () => key,
    read: () => () => '',
    models: { 'vidgen-2-0': 'vidgen-2-0' },
    fetchMaterial: async ({ into }) => {
      await copyFile(resultFramePath, into);
      return { saved: true };
    },
    materialBytesMax: { image: 10_000_000, video: 1, audio: 1 },
    tempFolder,
  });
  const begin = async (request: ReturnType<typeof sampleStart>): Promise<string> => {
    const first = await provider.start(request);
    const again = await provider.start(request);
    assert.ok(first.outcome === 'accepted', JSON.stringify(first));
    assert.deepEqual(again, first, 'the first task is returned');
    return first.operation;
  };
  const ended = async (request: ReturnType<typeof sampleStart>) => {
    const operation = await begin(request);
    await client.final(operation);
    return await provider.status(sampleStatus(operation, request));
  };

  const imageUrls = ['https://cdn.example.test/frame.jpg'];
  const image = { generationType: 'image-to-video', imageUrls } as const;
  const completed = await ended(sampleStart({ ...image, aspectRatio: 'adaptive' }));
  assert.ok(completed.outcome === 'completed', JSON.stringify(completed));
  assert.ok((await readResult(completed.video)).length > 1_000);
  const rejection = { outcome: 'failed', reason: 'rejected', rejectedPart: 'output' };
  const rejected = await ended(sampleStart({ prompt: 'rejected' }));
  assert.partialDeepStrictEqual(rejected, rejection);

  const polls = inner.calls.filter(({ kind }) => kind === 'status').length;
  const slow = await begin(sampleStart({ prompt: 'slow' }));
  await inner.waitForCall('status', polls + 1);
  assert.equal(await provider.cancel(slow), 'running');
  assert.equal(await provider.cancel(slow), 'stopped');
  held.resolve();
  const starts = inner.calls.filter(({ kind }) => kind === 'start');
  assert.equal(starts.length, 3, 'one generation for each reference');
  await provider.close?.();
  await service.assertInvariants();
});
