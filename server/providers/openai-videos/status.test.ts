/** What a look at a video says, where its file is fetched, and what stops it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { readResult, sampleStart, sampleStatus } from '../../../proof/kit/conformance-bench.ts';
import { accepted } from '../../../proof/kit/conformance-faults.ts';
import { withDouble } from '../../../proof/kit/openai-videos/bench.ts';
import { detailed, openAiError } from '../../../proof/kit/openai-videos/words.ts';
import { resultVideoPath, startResultServer } from '../../../proof/kit/result-server.ts';
import { declined, json } from '../../../proof/kit/upstream-double.ts';
import { unixSeconds } from '../../clock.ts';
import type { Provider, StatusAnswer } from '../provider.ts';

/** A started generation, and a way to look at it. */
async function begin(provider: Provider, change: Partial<Generation> = {}) {
  const request = sampleStart(change);
  const operation = await accepted(provider, request);
  const look = () => provider.status(sampleStatus(operation, request));
  return { operation, look };
}

function videoOf(answer: StatusAnswer) {
  assert.ok(answer.outcome === 'completed', JSON.stringify(answer));
  return answer.video;
}

const fixture = await readFile(resultVideoPath);

describe('a look', () => {
  test('sees a failure that vLLM-Omni answers with the status of the error', () =>
    withDouble('vllm', async (double, provider) => {
      for (const code of [400, 404, 422, 429, 500, 503]) {
        const { operation, look } = await begin(provider);
        double.advance(operation, 'failed', { error: { code, message: 'CUDA out of memory' } });
        const answer = await look();
        const expected = { outcome: 'failed', reason: 'failed' };
        assert.partialDeepStrictEqual(answer, expected, `${code}: ${JSON.stringify(answer)}`);
        assert.ok(answer.outcome === 'failed' && answer.detail.includes('CUDA out of memory'));
      }
    }));

  test('does not take an error with another video in it for a failure', () =>
    withDouble('vllm', async (double, provider) => {
      const { look } = await begin(provider);
      double.next('get', declined(json(500, { id: 'video_gen_other', status: 'failed' })));
      assert.equal((await look()).outcome, 'pending');
    }));

  test('calls a video lost after a restart, and not for a path that is not there', async () => {
    for (const dialect of ['vllm', 'sglang'] as const) {
      await withDouble(dialect, async (double, provider) => {
        const { look } = await begin(provider);
        double.next('get', declined(detailed(404, 'Not Found')));
        const wrongPath = await look();
        assert.ok(wrongPath.outcome === 'pending' && wrongPath.alert === 'Not Found');
        double.restart();
        assert.deepEqual(await look(), { outcome: 'lost', detail: 'Video not found' });
      });
    }
  });

  test('tells progress where there is any, and waits longer for an older video', () =>
    withDouble('vllm', async (double, provider) => {
      const { operation, look } = await begin(provider);
      assert.deepEqual(await look(), { outcome: 'pending', askAgainSeconds: 2, progress: 0 });
      double.advance(operation, 'in_progress', { createdSeconds: unixSeconds() - 1_000 });
      assert.deepEqual(await look(), { outcome: 'pending', askAgainSeconds: 10, progress: 0.42 });
    }));

  test('sees the end of a video that was never in progress', () =>
    withDouble(
      'sglang',
      async (_, provider) => {
        const { look } = await begin(provider);
        assert.partialDeepStrictEqual(await look(), { outcome: 'pending' });
        assert.partialDeepStrictEqual(await look(), { outcome: 'completed', outputSeconds: 5 });
      },
      { double: { automatic: true } },
    ));

  test('knows the words of gateways', () =>
    withDouble('gateway', async (double, provider) => {
      const { operation, look } = await begin(provider);
      assert.partialDeepStrictEqual(await look(), { outcome: 'pending' });
      double.advance(operation, 'in_progress');
      const { alert, ...running } = (await look()) as StatusAnswer & { alert?: string };
      assert.deepEqual([running.outcome, alert], ['pending', undefined]);
      double.advance(operation, 'cancelled');
      assert.partialDeepStrictEqual(await look(), { outcome: 'failed', reason: 'failed' });
    }));

  test('keeps a video pending, with an alert, when our key is no longer taken', () =>
    withDouble('openai', async (double, provider) => {
      const { look } = await begin(provider, { duration: 4 });
      double.next('get', declined(openAiError(401, 'Incorrect API key provided.')));
      const answer = await look();
      assert.ok(answer.outcome === 'pending' && answer.alert?.includes('Incorrect API key'));
    }));
});

describe('a result', () => {
  test('is fetched behind the upstream’s door, with the key', () =>
    withDouble('openai', async (double, provider) => {
      const { operation, look } = await begin(provider, { duration: 4 });
      double.advance(operation, 'completed');
      assert.deepEqual(await readResult(videoOf(await look())), fixture);
      const { path, headers } = double.requests.at(-1)!;
      assert.equal(path, `/v1/videos/${operation}/content`);
      assert.equal(headers.authorization, 'Bearer sk-test');
    }));

  test('is left to the guard, without our key, where a cloud holds it', async () => {
    const cloud = await startResultServer();
    for (const dialect of ['sglang', 'gateway'] as const) {
      await withDouble(
        dialect,
        async (double, provider) => {
          const { operation, look } = await begin(provider);
          double.advance(operation, 'completed');
          const video = videoOf(await look());
          assert.deepEqual(video, { url: cloud.videoUrl(operation) });
          // The cloud's addresses refuse whoever brings a key.
          assert.deepEqual(await readResult(video), fixture);
        },
        { double: { putAt: cloud.videoUrl } },
      );
    }
    await cloud.close();
  });

  test('is fetched with our key where a gateway names an address on its own host', () =>
    withDouble('gateway', async (double, provider) => {
      const { operation, look } = await begin(provider);
      const url = `${double.baseUrl}/videos/${operation}/content?variant=video`;
      double.advance(operation, 'completed', { url });
      assert.deepEqual(await readResult(videoOf(await look())), fixture);
      assert.equal(double.requests.at(-1)!.headers.authorization, 'Bearer sk-test');
    }));

  test('is never sought at an address that a server like OpenAI’s names', () =>
    withDouble('vllm', async (double, provider) => {
      const { operation, look } = await begin(provider);
      double.advance(operation, 'completed');
      const shown = { id: operation, status: 'completed', url: 'http://169.254.169.254/latest' };
      double.next('get', declined(json(200, shown)));
      assert.ok('download' in videoOf(await look()));
    }));

  test('that is not there, or is a page, is not saved, and the next try may find it', () =>
    withDouble('openai', async (double, provider) => {
      const { operation, look } = await begin(provider, { duration: 4 });
      double.advance(operation, 'completed');
      const video = videoOf(await look());
      const page = { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } };
      double.next('content', declined(page), declined(openAiError(404, 'not yet')), {
        work: 'not-done',
        answer: 'lose',
      });
      for (const words of [/text\/html/, /not yet/, /./]) {
        await assert.rejects(readResult(video), words);
      }
      assert.deepEqual(await readResult(video), fixture);
    }));

  test('that was not kept is a failure, with a hint for the operator', () =>
    withDouble('sglang', async (double, provider) => {
      const { operation, look } = await begin(provider);
      double.advance(operation, 'completed', { hasFile: false });
      const answer = await look();
      assert.ok(answer.outcome === 'failed' && answer.detail.includes('does not keep its output'));
    }));
});

describe('stopping', () => {
  test('is done by vLLM-Omni, though it may take a while', () =>
    withDouble(
      'vllm',
      async (double, provider) => {
        const { operation, look } = await begin(provider);
        double.advance(operation, 'in_progress');
        assert.equal(await provider.cancel(operation), 'stopped');
        assert.equal((await look()).outcome, 'lost');
        const deletes = double.requests.filter(({ method }) => method === 'DELETE');
        assert.equal(deletes.length, 2);
      },
      { double: { slowCancels: 1 } },
    ));

  test('is not claimed while vLLM-Omni is still at it', () =>
    withDouble(
      'vllm',
      async (double, provider) => {
        const { operation } = await begin(provider);
        assert.equal(await provider.cancel(operation), 'unknown');
        assert.equal(double.videos().length, 1);
      },
      { double: { slowCancels: 9 } },
    ));

  test('is confirmed by a video that is gone, when the answer to the DELETE was lost', () =>
    withDouble('vllm', async (double, provider) => {
      const { operation } = await begin(provider);
      double.next('delete', { work: 'done', answer: 'lose' });
      assert.equal(await provider.cancel(operation), 'stopped');
    }));

  test('is not tried where a DELETE would only forget what goes on', async () => {
    for (const dialect of ['openai', 'sglang', 'gateway'] as const) {
      await withDouble(dialect, async (double, provider) => {
        const { operation } = await begin(provider, { duration: 4 });
        assert.equal(await provider.cancel(operation), 'running');
        double.advance(operation, 'completed');
        assert.equal(await provider.cancel(operation), 'gone');
        assert.ok(double.requests.every(({ method }) => method !== 'DELETE'));
      });
    }
  });

  test('leaves a failed video of vLLM-Omni to the next look', () =>
    withDouble('vllm', async (double, provider) => {
      const { operation } = await begin(provider);
      double.advance(operation, 'failed');
      assert.equal(await provider.cancel(operation), 'gone');
    }));
});
