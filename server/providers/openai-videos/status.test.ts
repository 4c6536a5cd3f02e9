/** How a video is polled, downloaded and stopped. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { readResult, startGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { declined, json } from '../../../proof/kit/fake-upstream.ts';
import { openAiError, vidgenError } from '../../../proof/kit/openai-videos/error-responses.ts';
import { withFake } from '../../../proof/kit/openai-videos/fixture.ts';
import { resultVideoPath } from '../../../proof/kit/result-server.ts';
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
    for (const [dialect, filesElsewhere] of [
      ['sglang', 'url'],
      ['gateway', 'url'],
      ['gateway', 'redirect'],
    ] as const) {
      await withFake({ dialect, fake: { filesElsewhere } }, async (fake, provider) => {
        const { operation, poll } = await startGeneration({ provider });
        fake.advance(operation, 'completed');
        const video = videoOf(await poll());
        assert.equal('url' in video, filesElsewhere === 'url');
        // The other host refuses requests with a key.
        assert.deepEqual(await readResult(video), fixture);
      });
    }
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
  test('stops a video on vLLM-Omni that takes a while, and is unknown until it ends', async () => {
    for (const [slowCancels, expected] of [
      [1, 'stopped'],
      [9, 'unknown'],
    ] as const) {
      await withFake({ dialect: 'vllm', fake: { slowCancels } }, async (fake, provider) => {
        const { operation, poll } = await startGeneration({ provider });
        fake.advance(operation, 'in_progress');
        assert.equal(await provider.cancel(operation), expected);
        assert.equal((await poll()).outcome, expected === 'stopped' ? 'lost' : 'pending');
      });
    }
  });

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
