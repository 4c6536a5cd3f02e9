/** ModelArk keeps the contract of providers, and what is particular to it: states, keys, DELETE. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import {
  sampleGeneration,
  sampleStart,
  sampleStatus,
} from '../../../proof/kit/conformance-bench.ts';
import {
  accepted,
  adapterFor,
  declined,
  modelArkHarness,
  withDouble,
} from '../../../proof/kit/modelark/bench.ts';
import { doubleModels, ModelArkDouble } from '../../../proof/kit/modelark/double.ts';
import { documentedError } from '../../../proof/kit/modelark/errors.ts';
import { closeServer } from '../../../proof/kit/result-server.ts';
import { createModelArk } from './modelark.ts';

describeConformance('modelark', modelArkHarness);

describe('starting', () => {
  test('says that it never connected, so that the task is sent again', async () => {
    const double = await ModelArkDouble.start();
    const provider = adapterFor(double);
    await double.close();
    const answer = await provider.start(sampleStart());
    assert.ok(answer.outcome === 'throttled', JSON.stringify(answer));
    assert.match(answer.detail, /not connected: .*ECONNREFUSED/);
  });

  test('refuses a model without an id, so that another provider is tried', () =>
    withDouble(
      async (double, provider) => {
        const answer = await provider.start(sampleStart());
        assert.partialDeepStrictEqual(answer, { outcome: 'refused', tryAnother: true });
        assert.equal(double.requests.length, 0);
      },
      { adapter: { models: {} } },
    ));

  test('asks for the key at every call', () => {
    let key = 'wrong';
    return withDouble(
      async (double, provider) => {
        const refused = await provider.start(sampleStart());
        assert.partialDeepStrictEqual(refused, { outcome: 'refused', tryAnother: true });
        key = double.apiKey;
        await accepted(provider);
      },
      { adapter: { apiKey: () => key } },
    );
  });

  test('tells of a key that cannot be sent, and does not show it', () =>
    withDouble(
      async (double, provider) => {
        const answer = await provider.start(sampleStart());
        assert.equal(answer.outcome, 'throttled');
        assert.ok(!JSON.stringify(answer).includes('secret'));
        assert.equal(double.requests.length, 0);
      },
      { adapter: { apiKey: () => 'secret\nkey' } },
    ));

  test('does not follow a redirect', async () => {
    let hits = 0;
    const server = createServer((_, response) => {
      hits++;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const provider = createModelArk({
      name: 'modelark',
      baseUrl: `http://127.0.0.1:${port}/api/v3`,
      apiKey: () => 'key',
      models: doubleModels,
    });
    const answer = await provider.start(sampleStart());
    assert.partialDeepStrictEqual(answer, { outcome: 'refused', tryAnother: true });
    assert.equal(hits, 1);
    await provider.close?.();
    await closeServer(server);
  });
});

describe('looking at a task', () => {
  test('hands over the video, the last frame and the length', () =>
    withDouble(async (double, provider) => {
      const start = sampleStart({ returnLastFrame: true, duration: 8 });
      const operation = await accepted(provider, start);
      double.advance(operation, 'succeeded');
      assert.deepEqual(await provider.status(sampleStatus(operation, start)), {
        outcome: 'completed',
        video: { url: double.results.videoUrl(operation) },
        lastFrame: { url: double.results.frameUrl(operation) },
        outputSeconds: 8,
      });
    }));

  test('takes no address that is not one of the web', () =>
    withDouble(async (double, provider) => {
      const start = sampleStart();
      const operation = await accepted(provider, start);
      for (const video_url of ['file:///etc/passwd', '', 7, null, 'x']) {
        const body = { id: operation, status: 'succeeded', content: { video_url } };
        double.next('get', declined({ status: 200, body: JSON.stringify(body) }));
        const answer = await provider.status(sampleStatus(operation, start));
        assert.equal(answer.outcome, 'failed', String(video_url));
      }
    }));

  test('calls a late constraint of the task type a failure', () =>
    withDouble(
      async (_, provider) => {
        // Our own rules refuse this before it is sent; the upstream notices only when it runs.
        const start = sampleStart({
          model: 'vidgen-2-5',
          generationType: 'image-to-video',
          imageUrls: ['https://cdn.example.test/a.png'],
          aspectRatio: '16:9',
        });
        const operation = await accepted(provider, start);
        const look = () => provider.status(sampleStatus(operation, start));
        assert.deepEqual([(await look()).outcome, (await look()).outcome], ['pending', 'pending']);
        const end = await look();
        assert.ok(end.outcome === 'failed' && end.reason === 'failed');
        assert.match(end.detail, /TaskTypeConstraint/);
      },
      { double: { automatic: true } },
    ));

  test('calls a task cancelled behind our back a failure', () =>
    withDouble(async (double, provider) => {
      const start = sampleStart();
      const operation = await accepted(provider, start);
      double.advance(operation, 'cancelled');
      const answer = await provider.status(sampleStatus(operation, start));
      assert.partialDeepStrictEqual(answer, { outcome: 'failed', reason: 'failed' });
    }));

  test('a revoked key is an alert, never the end of a task', () => {
    let key = 'ark-test-key';
    return withDouble(
      async (_, provider) => {
        const start = sampleStart();
        const operation = await accepted(provider, start);
        key = 'revoked';
        const answer = await provider.status(sampleStatus(operation, start));
        assert.ok(answer.outcome === 'pending' && answer.alert?.includes('AuthenticationError'));
      },
      { adapter: { apiKey: () => key } },
    );
  });

  test('too many looks at once are put off instead of waiting for ever', () =>
    withDouble(
      async (double, provider) => {
        const start = sampleStart();
        const operation = await accepted(provider, start);
        const looks = [1, 2, 3].map(() => provider.status(sampleStatus(operation, start)));
        const answers = await Promise.all(looks);
        assert.ok(answers.every((answer) => answer.outcome === 'pending' && !answer.alert));
        assert.equal(double.requests.filter((request) => request.operation === 'get').length, 1);
      },
      { adapter: { getPerSecond: 0.1 } },
    ));
});

describe('cancelling', () => {
  for (const status of ['running', 'succeeded', 'failed', 'expired', 'cancelled', 'paused']) {
    test(`sends no DELETE for a task that is ${status}`, () =>
      withDouble(async (double, provider) => {
        const operation = await accepted(provider);
        double.advance(operation, status);
        await provider.cancel(operation);
        assert.ok(double.requests.every((request) => request.operation !== 'delete'));
      }));
  }

  test('sends no DELETE when the look before it fails', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      double.next('get', declined(documentedError('InternalServiceError')));
      assert.equal(await provider.cancel(operation), 'unknown');
      assert.ok(double.requests.every((request) => request.operation !== 'delete'));
    }));

  test('stops a queued task and proves it by reading it again', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      assert.equal(await provider.cancel(operation), 'stopped');
      assert.equal(double.task(operation).status, 'cancelled');
    }));

  test('says running when the task started between the look and the DELETE', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      double.next('delete', declined(documentedError('InvalidAction.RunningTaskDeletion')));
      assert.equal(await provider.cancel(operation), 'running');
    }));

  test('does not claim to have stopped a task that ended between the look and the DELETE', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      const queued = JSON.stringify({ id: operation, status: 'queued' });
      double.next('get', declined({ status: 200, body: queued }));
      double.advance(operation, 'succeeded');
      assert.equal(await provider.cancel(operation), 'gone');
    }));

  test('trusts the second look, not the answer of the DELETE', () =>
    withDouble(async (double, provider) => {
      const [first, second] = [await accepted(provider), await accepted(provider)];
      double.next('delete', { work: 'done', answer: 'lose' });
      assert.equal(await provider.cancel(first), 'stopped');
      double.next('delete', { work: 'not-done', answer: { status: 200, body: '{}' } });
      assert.equal(await provider.cancel(second), 'unknown');
    }));
});

test('needs longer for longer videos', () =>
  withDouble(async (_, provider) => {
    const short = provider.usualSeconds(sampleGeneration({ duration: 4 }));
    const long = provider.usualSeconds(sampleGeneration({ duration: 15 }));
    const edit = provider.usualSeconds(sampleGeneration({ model: 'vidgen-2-5', duration: -1 }));
    assert.ok(short < long && long < edit);
  }));
