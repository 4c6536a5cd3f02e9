/** How a video is polled, downloaded and stopped. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { readResult, startGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { declined, json } from '../../../proof/kit/fake-upstream.ts';
import { openAiError, vidgenError } from '../../../proof/kit/openai-videos/error-responses.ts';
import { withFake } from '../../../proof/kit/openai-videos/fixture.ts';
import { resultVideoPath, startResultServer } from '../../../proof/kit/result-server.ts';
import type { StatusResult } from '../provider.ts';

function videoOf(result: StatusResult) {
  assert.ok(result.outcome === 'completed', JSON.stringify(result));
  return result.video;
}

const fixture = await readFile(resultVideoPath);

describe('status', () => {
  test('reports a failure that vLLM-Omni returns with the status of the error', () =>
    withFake('vllm', async (fake, provider) => {
      for (const code of [400, 404, 422, 429, 500, 503]) {
        const { operation, poll } = await startGeneration({ provider });
        fake.advance(operation, 'failed', { error: { code, message: 'CUDA out of memory' } });
        const result = await poll();
        const expected = { outcome: 'failed', reason: 'failed' };
        assert.partialDeepStrictEqual(result, expected, `${code}: ${JSON.stringify(result)}`);
        assert.ok(result.outcome === 'failed' && result.detail.includes('CUDA out of memory'));
      }
    }));

  test('does not report an error with another video as a failure', () =>
    withFake('vllm', async (fake, provider) => {
      const { poll } = await startGeneration({ provider });
      fake.next('get', declined(json(500, { id: 'video_gen_other', status: 'failed' })));
      assert.equal((await poll()).outcome, 'pending');
    }));
});

describe('a result', () => {
  test('is downloaded without the key when another host has it', async () => {
    const cloud = await startResultServer();
    for (const dialect of ['sglang', 'gateway'] as const) {
      await withFake(
        { dialect, fake: { putAt: () => cloud.videoUrl('out') } },
        async (fake, provider) => {
          const { operation, poll } = await startGeneration({ provider });
          fake.advance(operation, 'completed');
          const video = videoOf(await poll());
          assert.deepEqual(video, { url: cloud.videoUrl('out') });
          // The other host refuses requests with a key.
          assert.deepEqual(await readResult(video), fixture);
        },
      );
    }
    await cloud.close();
  });

  test('is downloaded without the key when a gateway redirects to another host', async () => {
    await using stack = new AsyncDisposableStack();
    const cloud = await startResultServer();
    stack.defer(cloud.close);
    await withFake(
      { dialect: 'gateway', fake: { redirectTo: () => cloud.videoUrl('out') } },
      async (fake, provider) => {
        const { operation, poll } = await startGeneration({ provider });
        fake.advance(operation, 'completed');
        // The other host refuses requests with a key.
        assert.deepEqual(await readResult(videoOf(await poll())), fixture);
      },
    );
  });

  test('is downloaded after one redirect on the host of the gateway, and no more', () =>
    withFake('gateway', async (fake, provider) => {
      const { operation, poll } = await startGeneration({ provider });
      fake.advance(operation, 'completed');
      const video = videoOf(await poll());
      const path = `/v1/videos/${encodeURIComponent(operation)}/content`;
      const redirect = declined({ status: 307, body: '', headers: { location: `${path}?a=1` } });
      fake.next('content', redirect);
      assert.deepEqual(await readResult(video), fixture);
      assert.equal(fake.requests.at(-1)!.headers.authorization, 'Bearer sk-test');
      fake.next('content', redirect, redirect);
      await assert.rejects(readResult(video), /HTTP 307/);
    }));

  test('is never downloaded from a URL of a server that has none', () =>
    withFake('vllm', async (fake, provider) => {
      const { operation, poll } = await startGeneration({ provider });
      fake.advance(operation, 'completed');
      const shown = { id: operation, status: 'completed', url: 'http://169.254.169.254/latest' };
      fake.next('get', declined(json(200, shown)));
      assert.ok('download' in videoOf(await poll()));
    }));

  test('is not saved when it is missing or a page, and can be downloaded later', () =>
    withFake('openai', async (fake, provider) => {
      const { operation, poll } = await startGeneration({ provider }, { duration: 4 });
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
});

describe('cancel', () => {
  test('stops a video on vLLM-Omni even when it takes a while', () =>
    withFake({ dialect: 'vllm', fake: { slowCancels: 1 } }, async (fake, provider) => {
      const { operation, poll } = await startGeneration({ provider });
      fake.advance(operation, 'in_progress');
      assert.equal(await provider.cancel(operation), 'stopped');
      assert.equal((await poll()).outcome, 'lost');
      const deletes = fake.requests.filter(({ method }) => method === 'DELETE');
      assert.equal(deletes.length, 2);
    }));

  test('reports unknown while vLLM-Omni is still stopping', () =>
    withFake({ dialect: 'vllm', fake: { slowCancels: 9 } }, async (fake, provider) => {
      const { operation } = await startGeneration({ provider });
      assert.equal(await provider.cancel(operation), 'unknown');
      assert.equal(fake.started().length, 1);
    }));

  test('reports stopped for a video that is gone after the response to the DELETE was lost', () =>
    withFake('vllm', async (fake, provider) => {
      const { operation } = await startGeneration({ provider });
      fake.next('delete', { work: 'done', response: 'lose' });
      assert.equal(await provider.cancel(operation), 'stopped');
    }));

  test('sends no DELETE to servers that would only forget the video', async () => {
    for (const dialect of ['openai', 'sglang', 'gateway'] as const) {
      await withFake(dialect, async (fake, provider) => {
        const { operation } = await startGeneration({ provider }, { duration: 4 });
        assert.equal(await provider.cancel(operation), 'running');
        fake.advance(operation, 'completed');
        assert.equal(await provider.cancel(operation), 'ended');
        assert.ok(fake.requests.every(({ method }) => method !== 'DELETE'));
      });
    }
  });

  test('stops a video on another vidgen, which keeps it as failed', () =>
    withFake('vidgen', async (fake, provider) => {
      const { operation, poll } = await startGeneration({ provider });
      fake.advance(operation, 'in_progress');
      fake.next('delete', declined(vidgenError('invalid_request', 'It cannot be stopped.')));
      assert.equal(await provider.cancel(operation), 'running');
      assert.equal(await provider.cancel(operation), 'stopped');
      assert.partialDeepStrictEqual(await poll(), { outcome: 'failed', reason: 'failed' });
    }));

  test('reports a video that another vidgen completed and erased as ended', () =>
    withFake('vidgen', async (fake, provider) => {
      const { operation: id } = await startGeneration({ provider });
      fake.next('get', declined(json(200, { id, status: 'in_progress' })));
      fake.advance(id, 'completed');
      assert.equal(await provider.cancel(id), 'ended');
    }));
});
