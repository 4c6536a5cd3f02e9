/** What a declared provider sends, and what it makes of responses, option by option. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import { readResult, sampleStart, sampleStatus } from '../../../proof/kit/conformance-fixture.ts';
import { phases } from '../../../proof/kit/declared/fake-lumen.ts';
import {
  declaredLumen,
  pollLumen as poll,
  withLumen,
} from '../../../proof/kit/declared/fixture.ts';
import { declined, json } from '../../../proof/kit/fake-upstream.ts';
import { DeclaredSettings } from './settings.ts';

const { start, status } = DeclaredSettings.parse(declaredLumen);

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
