/**
 * Edits a video at each engine, for the length and in the shape of its source.
 * Thorough: encodes and renders videos.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../kit/journey.ts';
import { makeMedia } from '../kit/media-files.ts';
import { startMediaServer } from '../kit/media-server.ts';
import { FakeOpenAiVideos, servedModel } from '../kit/openai-videos/fake.ts';
import { waitUntil } from '../kit/wait-until.ts';

for (const dialect of ['vllm', 'sglang'] as const) {
  test(`an edit at ${dialect} is as long as was paid for`, async () => {
    const media = await startMediaServer();
    await using engine = await FakeOpenAiVideos.start({ dialect });
    const kind = 'openai-videos' as const;
    const models = { 'vidgen-2-5': servedModel };
    await using journey = await startJourney({
      file: {
        providers: { engine: { kind, dialect, baseUrl: engine.baseUrl, models } },
        routes: { 'vidgen-2-5': ['engine'] },
      },
    });
    const source = await makeMedia({ format: 'mp4', video: 'libx264', seconds: 6 });
    const { client } = await journey.service.account({ live: 1_000 });
    const { body } = await client.create({
      model: 'vidgen-2-5',
      input: {
        prompt: 'Make it night',
        generation_type: 'reference-to-video',
        duration: -1,
        resolution: '480p',
        video_urls: [media.serve('source', source)],
      },
    });
    // 480p with a video: 6 credits per second.
    assert.equal(body.credits, 36, JSON.stringify(body));
    const [{ create } = assert.fail()] = await waitUntil(
      () => engine.videos().length > 0 && engine.videos(),
    );
    assert.deepEqual([create.fields.seconds, create.fields.size], ['6', '640x640']);
    assert.ok(create.files[0]?.bytes.equals(source));
    await media.close();
  });
}
