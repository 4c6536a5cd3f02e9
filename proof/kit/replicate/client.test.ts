/** Replicate's own client works with the fake. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import Replicate, { validateWebhook } from 'replicate';
import { resultVideoPath, startResultServer } from '../result-server.ts';
import { FakeReplicate, type FakeReplicateOptions } from './fake.ts';
import { signWebhook } from './webhooks.ts';

const model = 'bytedance/seedance-2.0';
const input = { prompt: 'A paper boat', duration: 5, resolution: '720p' };

async function withClient(
  run: (client: Replicate, fake: FakeReplicate) => Promise<void>,
  options: FakeReplicateOptions & { readonly auth?: string } = {},
): Promise<void> {
  await using fake = await FakeReplicate.start(options);
  const auth = options.auth ?? fake.apiKey;
  await run(new Replicate({ auth, baseUrl: fake.baseUrl, useFileOutput: false }), fake);
}

test('runs a model from its start to a video that can be downloaded', async () => {
  const results = await startResultServer();
  try {
    await withClient(
      async (client) => {
        const seen: string[] = [];
        const wait = { mode: 'poll', interval: 1 } as const;
        const output = await client.run(model, { input, wait }, ({ status }) => {
          if (seen.at(-1) !== status) seen.push(status);
        });
        assert.deepEqual(seen, ['starting', 'processing', 'succeeded']);
        const response = await fetch(String(output));
        const bytes = Buffer.from(await response.arrayBuffer());
        assert.deepEqual(bytes, await readFile(resultVideoPath));
      },
      { automatic: true, outputUrl: results.videoUrl },
    );
  } finally {
    await results.close();
  }
});

test('cancels a running prediction, and does not change an ended one', () =>
  withClient(async (client, fake) => {
    const first = await client.predictions.create({ model, input });
    assert.equal((await client.predictions.cancel(first.id)).status, 'canceled');
    const second = await client.predictions.create({ model, input });
    fake.advance(second.id, 'succeeded');
    assert.equal((await client.predictions.cancel(second.id)).status, 'succeeded');
  }));

test('receives rejections with their status and message', () =>
  withClient(async (client, fake) => {
    const assertRejected = async (create: object, status: number, pattern: RegExp) => {
      const creation = client.predictions.create(create as { model: string; input: object });
      await assert.rejects(creation, (error: { response?: Response; message: string }) => {
        assert.equal(error.response?.status, status);
        assert.match(error.message, pattern);
        return true;
      });
    };
    const invalid = (change: object, pattern: RegExp) =>
      assertRejected({ model, input: { ...input, ...change } }, 422, pattern);
    await invalid({ prompt: undefined }, /"- input: prompt is required\\n"/);
    await invalid({ duration: 16 }, /- input\.duration: Must be less than or equal to 15/);
    await invalid({ duration: '5' }, /Invalid type. Expected: integer, given: string/);
    await invalid({ resolution: '8k' }, /resolution must be one of the following: .*480p/);
    await invalid(
      { prompt: 'a'.repeat(4_001) },
      /String length must be less than or equal to 4000/,
    );
    await invalid({ image: 'frame.png' }, /- input\.image: Does not match format 'uri'/);
    await invalid({ watermark: true }, /- input: Additional property watermark is not allowed/);
    await invalid({ duration: 16, seed: 'any' }, /"invalid_fields":\[\{.*\},\{.*"input\.seed"/);
    await assertRejected({ model, input, webhook: 'http://plain.test/' }, 422, /HTTPS/);
    await assertRejected({ model: 'nobody/nothing', input }, 404, /could not be found/);
    await assert.rejects(client.predictions.get('nothing'), /404/);
    assert.equal(fake.predictions().length, 0);
  }));

test('receives a failed prediction as an error with its message', () =>
  withClient(async (client, fake) => {
    const prediction = await client.predictions.create({ model, input });
    fake.advance(prediction.id, 'failed', { error: 'Input flagged as sensitive (E005)' });
    await assert.rejects(client.wait(prediction, { interval: 1 }), /E005/);
  }));

test('accepts webhooks signed with the published secret, and no forged ones', () =>
  withClient(async (client, fake) => {
    const { key: secret } = await client.webhooks.default.secret.get();
    const { id } = await client.predictions.create({
      ...{ model, input, webhook: 'https://svc.example.test/hooks/1' },
      webhook_events_filter: ['completed'],
    });
    fake.advance(id, 'succeeded');
    const { headers, body } = signWebhook(fake.shown(id));
    const request = (text: string) =>
      new Request('https://svc.example.test/', { method: 'POST', headers, body: text });
    assert.equal(await validateWebhook(request(body), secret), true);
    assert.equal(
      await validateWebhook(request(body.replace('succeeded', 'failed')), secret),
      false,
    );
    assert.equal(JSON.parse(body).webhook, 'https://svc.example.test/hooks/1');
  }));
