/** What a look at a video says, where its file is fetched, and what stops it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import { readResult, sampleStart, sampleStatus } from '../../../proof/kit/conformance-fixture.ts';
import { declined, json } from '../../../proof/kit/fake-upstream.ts';
import { fastApiError, openAiError } from '../../../proof/kit/openai-videos/error-responses.ts';
import { withFake } from '../../../proof/kit/openai-videos/fixture.ts';
import { resultVideoPath, startResultServer } from '../../../proof/kit/result-server.ts';
import { unixSeconds } from '../../clock.ts';
import type { Provider, StatusResult } from '../provider.ts';

/** A started generation, and a way to look at it. */
async function begin(provider: Provider, change: Partial<Generation> = {}) {
  const request = sampleStart(change);
  const operation = await startAccepted(provider, request);
  const poll = () => provider.status(sampleStatus(operation, request));
  return { operation, poll };
}

function videoOf(result: StatusResult) {
  assert.ok(result.outcome === 'completed', JSON.stringify(result));
  return result.video;
}

const fixture = await readFile(resultVideoPath);

describe('a look', () => {
  test('sees a failure that vLLM-Omni answers with the status of the error', () =>
    withFake('vllm', async (fake, provider) => {
      for (const code of [400, 404, 422, 429, 500, 503]) {
        const { operation, poll } = await begin(provider);
        fake.advance(operation, 'failed', { error: { code, message: 'CUDA out of memory' } });
        const result = await poll();
        const expected = { outcome: 'failed', reason: 'failed' };
        assert.partialDeepStrictEqual(result, expected, `${code}: ${JSON.stringify(result)}`);
        assert.ok(result.outcome === 'failed' && result.detail.includes('CUDA out of memory'));
      }
    }));

  test('does not take an error with another video in it for a failure', () =>
    withFake('vllm', async (fake, provider) => {
      const { poll } = await begin(provider);
      fake.next('get', declined(json(500, { id: 'video_gen_other', status: 'failed' })));
      assert.equal((await poll()).outcome, 'pending');
    }));

  test('calls a video lost after a restart, and not for a path that is not there', async () => {
    for (const dialect of ['vllm', 'sglang'] as const) {
      await withFake(dialect, async (fake, provider) => {
        const { poll } = await begin(provider);
        fake.next('get', declined(fastApiError(404, 'Not Found')));
        const wrongPath = await poll();
        assert.ok(wrongPath.outcome === 'pending' && wrongPath.alert === 'Not Found');
        fake.restart();
        assert.deepEqual(await poll(), { outcome: 'lost', detail: 'Video not found' });
      });
    }
  });

  test('tells progress where there is any, and waits longer for an older video', () =>
    withFake('vllm', async (fake, provider) => {
      const { operation, poll } = await begin(provider);
      assert.deepEqual(await poll(), { outcome: 'pending', pollAfterSeconds: 2, progress: 0 });
      fake.advance(operation, 'in_progress', { createdSeconds: unixSeconds() - 1_000 });
      assert.deepEqual(await poll(), { outcome: 'pending', pollAfterSeconds: 10, progress: 0.42 });
    }));

  test('sees the end of a video that was never in progress', () =>
    withFake(
      'sglang',
      async (_, provider) => {
        const { poll } = await begin(provider);
        assert.partialDeepStrictEqual(await poll(), { outcome: 'pending' });
        assert.partialDeepStrictEqual(await poll(), { outcome: 'completed', outputSeconds: 5 });
      },
      { fake: { automatic: true } },
    ));

  test('knows the words of gateways', () =>
    withFake('gateway', async (fake, provider) => {
      const { operation, poll } = await begin(provider);
      assert.partialDeepStrictEqual(await poll(), { outcome: 'pending' });
      fake.advance(operation, 'in_progress');
      const { alert, ...running } = (await poll()) as StatusResult & { alert?: string };
      assert.deepEqual([running.outcome, alert], ['pending', undefined]);
      fake.advance(operation, 'cancelled');
      assert.partialDeepStrictEqual(await poll(), { outcome: 'failed', reason: 'failed' });
    }));

  test('keeps a video pending, with an alert, when our key is no longer taken', () =>
    withFake('openai', async (fake, provider) => {
      const { poll } = await begin(provider, { duration: 4 });
      fake.next('get', declined(openAiError(401, 'Incorrect API key provided.')));
      const result = await poll();
      assert.ok(result.outcome === 'pending' && result.alert?.includes('Incorrect API key'));
    }));
});

describe('a result', () => {
  test('is fetched behind the upstream’s door, with the key', () =>
    withFake('openai', async (fake, provider) => {
      const { operation, poll } = await begin(provider, { duration: 4 });
      fake.advance(operation, 'completed');
      assert.deepEqual(await readResult(videoOf(await poll())), fixture);
      const { path, headers } = fake.requests.at(-1)!;
      assert.equal(path, `/v1/videos/${operation}/content`);
      assert.equal(headers.authorization, 'Bearer sk-test');
    }));

  test('is left to the guard, without our key, where a cloud holds it', async () => {
    const cloud = await startResultServer();
    for (const dialect of ['sglang', 'gateway'] as const) {
      await withFake(
        dialect,
        async (fake, provider) => {
          const { operation, poll } = await begin(provider);
          fake.advance(operation, 'completed');
          const video = videoOf(await poll());
          assert.deepEqual(video, { url: cloud.videoUrl(operation) });
          // The cloud's addresses refuse whoever brings a key.
          assert.deepEqual(await readResult(video), fixture);
        },
        { fake: { putAt: cloud.videoUrl } },
      );
    }
    await cloud.close();
  });

  test('is fetched with our key where a gateway names an address on its own host', () =>
    withFake('gateway', async (fake, provider) => {
      const { operation, poll } = await begin(provider);
      const url = `${fake.baseUrl}/videos/${operation}/content?variant=video`;
      fake.advance(operation, 'completed', { url });
      assert.deepEqual(await readResult(videoOf(await poll())), fixture);
      assert.equal(fake.requests.at(-1)!.headers.authorization, 'Bearer sk-test');
    }));

  test('is never sought at an address that a server like OpenAI’s names', () =>
    withFake('vllm', async (fake, provider) => {
      const { operation, poll } = await begin(provider);
      fake.advance(operation, 'completed');
      const shown = { id: operation, status: 'completed', url: 'http://169.254.169.254/latest' };
      fake.next('get', declined(json(200, shown)));
      assert.ok('download' in videoOf(await poll()));
    }));

  test('that is not there, or is a page, is not saved, and the next try may find it', () =>
    withFake('openai', async (fake, provider) => {
      const { operation, poll } = await begin(provider, { duration: 4 });
      fake.advance(operation, 'completed');
      const video = videoOf(await poll());
      const page = { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } };
      fake.next('content', declined(page), declined(openAiError(404, 'not yet')), {
        work: 'not-done',
        response: 'lose',
      });
      for (const pattern of [/text\/html/, /not yet/, /./]) {
        await assert.rejects(readResult(video), pattern);
      }
      assert.deepEqual(await readResult(video), fixture);
    }));

  test('that was not kept is a failure, with a hint for the operator', () =>
    withFake('sglang', async (fake, provider) => {
      const { operation, poll } = await begin(provider);
      fake.advance(operation, 'completed', { hasFile: false });
      const result = await poll();
      assert.ok(result.outcome === 'failed' && result.detail.includes('does not keep its output'));
    }));
});

describe('stopping', () => {
  test('is done by vLLM-Omni, though it may take a while', () =>
    withFake(
      'vllm',
      async (fake, provider) => {
        const { operation, poll } = await begin(provider);
        fake.advance(operation, 'in_progress');
        assert.equal(await provider.cancel(operation), 'stopped');
        assert.equal((await poll()).outcome, 'lost');
        const deletes = fake.requests.filter(({ method }) => method === 'DELETE');
        assert.equal(deletes.length, 2);
      },
      { fake: { slowCancels: 1 } },
    ));

  test('is not claimed while vLLM-Omni is still at it', () =>
    withFake(
      'vllm',
      async (fake, provider) => {
        const { operation } = await begin(provider);
        assert.equal(await provider.cancel(operation), 'unknown');
        assert.equal(fake.videos().length, 1);
      },
      { fake: { slowCancels: 9 } },
    ));

  test('is confirmed by a video that is gone, when the answer to the DELETE was lost', () =>
    withFake('vllm', async (fake, provider) => {
      const { operation } = await begin(provider);
      fake.next('delete', { work: 'done', response: 'lose' });
      assert.equal(await provider.cancel(operation), 'stopped');
    }));

  test('is not tried where a DELETE would only forget what goes on', async () => {
    for (const dialect of ['openai', 'sglang', 'gateway'] as const) {
      await withFake(dialect, async (fake, provider) => {
        const { operation } = await begin(provider, { duration: 4 });
        assert.equal(await provider.cancel(operation), 'running');
        fake.advance(operation, 'completed');
        assert.equal(await provider.cancel(operation), 'ended');
        assert.ok(fake.requests.every(({ method }) => method !== 'DELETE'));
      });
    }
  });

  test('leaves a failed video of vLLM-Omni to the next look', () =>
    withFake('vllm', async (fake, provider) => {
      const { operation } = await begin(provider);
      fake.advance(operation, 'failed');
      assert.equal(await provider.cancel(operation), 'ended');
    }));
});
