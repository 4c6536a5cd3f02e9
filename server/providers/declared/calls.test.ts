/** What a declared provider sends, and what it makes of responses, option by option. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import { readResult, sampleStart, sampleStatus } from '../../../proof/kit/conformance-fixture.ts';
import { phases, problem } from '../../../proof/kit/declared/fake-lumen.ts';
import {
  declaredLumen,
  pollLumen as poll,
  withLumen,
} from '../../../proof/kit/declared/fixture.ts';
import { declined, type FakeResponse, json } from '../../../proof/kit/fake-upstream.ts';
import type { DeclaredOptions } from './declared.ts';
import { DeclaredSettings } from './settings.ts';

const { start, status, errors } = DeclaredSettings.parse(declaredLumen);

const done = (fields: object) => json(200, { render: { phase: phases.done }, ...fields });

test('sends the headers of the description with every call, and the key in its own', () =>
  withLumen({ headers: { 'x-version': '7', 'x-lumen-key': 'other' } }, async (fake, provider) => {
    const operation = await startAccepted(provider);
    Object.assign(fake.render(operation), { phase: phases.done, hasFile: true });
    const result = await provider.status(sampleStatus(operation, sampleStart()));
    assert.ok(result.outcome === 'completed');
    await readResult(result.video);
    await provider.cancel(operation);
    assert.deepEqual(
      fake.requests.map(({ headers }) => [headers['x-version'], headers['x-lumen-key']]),
      fake.requests.map(() => ['7', 'k:lumen-key']),
    );
    assert.equal(fake.requests.length, 4);
  }));

test('puts the model and the generation type into paths, escaped', () => {
  const models = { 'vidgen-2-0': 'a b/c?d' };
  const path = { 'text-to-video': '/{{model}}/text', 'image-to-video': '/{{model}}/image' };
  const statusPath = { ...path, 'text-to-video': '/{{model}}/{{operation|text}}' };
  return withLumen(
    { models, start: { ...start, path }, status: { ...status, path: statusPath } },
    async (fake, provider) => {
      const imageUrls = ['https://cdn.example.test/a.png'];
      await provider.start(sampleStart());
      await provider.start(sampleStart({ generationType: 'image-to-video', imageUrls }));
      await provider.status(sampleStatus('x/../y', sampleStart()));
      assert.deepEqual(
        fake.requests.map((request) => request.path),
        ['/v2/a%20b/c%3Fd/text', '/v2/a%20b/c%3Fd/image', '/v2/a%20b/c%3Fd/x%2F..%2Fy'],
      );
      const none = sampleStart({ generationType: 'reference-to-video', imageUrls });
      assert.partialDeepStrictEqual(await provider.start(none), { outcome: 'rejected' });
      assert.match(provider.unsupportedReason!(none.generation)!, /generation_type/);
      assert.equal(fake.requests.length, 3, 'nothing was sent');
    },
  );
});

test('reads a status by POST with a body', () => {
  const byPost = { ...status, method: 'POST', path: '/status', body: { id: '{{operation}}' } };
  return withLumen({ status: byPost as typeof status }, async (fake, provider) => {
    const result = await poll(fake, provider, json(200, { render: { phase: 1 } }));
    assert.equal(result.outcome, 'pending');
    const { method, path, body } = fake.requests[0]!;
    assert.deepEqual([method, path, `${body}`], ['POST', '/v2/status', '{"id":"1000"}']);
  });
});

describe('an absent state', () => {
  const withState = (absentState: 'completed' | 'running') => ({
    status: { ...status, absentState },
  });
  const outcomes = async (change: Partial<DeclaredOptions>, responses: readonly FakeResponse[]) => {
    const results: unknown[] = [];
    await withLumen(change, async (fake, provider) => {
      for (const response of responses) {
        const result = await poll(fake, provider, response);
        results.push('alert' in result ? 'alert' : result.outcome);
      }
    });
    return results;
  };
  const video = json(200, { render: { assets: [{}, { href: 'https://cdn.example.test/v.mp4' }] } });
  const nothing = json(200, {});

  test('is completed only with a video', async () => {
    const garbage = { status: 200, body: '{' };
    assert.deepEqual(await outcomes(withState('completed'), [video, nothing, garbage]), [
      'completed',
      'pending',
      'alert',
    ]);
    assert.deepEqual(await outcomes(withState('running'), [video, garbage]), ['pending', 'alert']);
  });
});

describe('errors', () => {
  test('of a poll end the operation only when the description says so', () => {
    const moderated = problem(400, 'unsafe_video', 'We do not show this.');
    return withLumen({}, async (fake, provider) => {
      assert.equal((await poll(fake, provider, moderated)).outcome, 'pending');
    }).then(() =>
      withLumen({ errors: { ...errors, ends: ['unsafe_*'] } }, async (fake, provider) => {
        const result = await poll(fake, provider, moderated);
        assert.partialDeepStrictEqual(result, { outcome: 'failed', rejectedPart: 'output' });
        const busy = problem(500, 'unsafe_video', 'Sorry.');
        assert.equal((await poll(fake, provider, busy)).outcome, 'pending');
        const other = problem(400, 'bad_request', 'What?');
        assert.equal((await poll(fake, provider, other)).outcome, 'pending');
      }),
    );
  });

  test('of a completed operation say why it has no video', () =>
    withLumen({}, async (fake, provider) => {
      const withheld = done({ problem: { kind: 'unsafe_video', text: 'no' } });
      const result = await poll(fake, provider, withheld);
      assert.partialDeepStrictEqual(result, { outcome: 'failed', rejectedPart: 'output' });
    }));
});

test('does not read an id that lost digits when it was parsed', () =>
  withLumen({}, async (fake, provider) => {
    for (const [id, outcome] of [
      ['12345678901234567890', 'unknown'],
      ['9007199254740991', 'accepted'],
    ]) {
      const body = `{"result":{"renders":[{"id":${id}}]}}`;
      fake.next('create', declined({ status: 202, body }));
      assert.equal((await provider.start(sampleStart())).outcome, outcome);
    }
  }));
