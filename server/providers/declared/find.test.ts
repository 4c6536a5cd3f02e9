/** When a lost start is found, and when its absence is proved. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { FakeLumen, problem } from '../../../proof/kit/declared/fake-lumen.ts';
import { declaredLumen, lumenAdapter } from '../../../proof/kit/declared/fixture.ts';
import { declined, type FakeResponse, htmlPage, json } from '../../../proof/kit/fake-upstream.ts';
import type { DeclaredOptions } from './declared.ts';
import { DeclaredSettings } from './settings.ts';

const {
  start: { idempotencyKeyHeader: _, ...start },
} = DeclaredSettings.parse(declaredLumen);

type FindSettings = NonNullable<DeclaredOptions['find']>;
const byPath: FindSettings = {
  path: '/renders/by/{{reference}}',
  reference: 'render.ref',
  operation: 'render.id',
  absent: ['no_render'],
  settleSeconds: 100,
};
const byList: FindSettings = {
  path: '/renders?limit=100',
  list: 'renders',
  reference: 'callback',
  operation: 'id',
};

async function find(settings: FindSettings, response: FakeResponse, secondsSinceStart = 1_000) {
  await using fake = await FakeLumen.start();
  const provider = lumenAdapter(fake, { start, find: settings });
  assert.equal(provider.protection, 'look-up');
  fake.next('get', declined(response));
  const result = await provider.find!('ref_1', sampleGeneration(), secondsSinceStart);
  await provider.close?.();
  return { result, path: fake.requests[0]!.path };
}

const outcome = async (...args: Parameters<typeof find>) => (await find(...args)).result.outcome;

describe('by its own path', () => {
  test('is unknown when the response is about another reference', async () => {
    assert.equal(await outcome(byPath, json(200, { render: { ref: 'ref_2', id: 7 } })), 'unknown');
    assert.equal(await outcome(byPath, json(200, { render: { id: 7 } })), 'unknown');
  });

  test('is absent only by a declared code, and late enough', async () => {
    const missing = problem(404, 'no_render', 'There is no such render.');
    assert.equal(await outcome(byPath, missing), 'absent');
    assert.equal(await outcome(byPath, missing, 99), 'unknown');
    assert.equal(await outcome(byPath, problem(404, 'other', 'What?')), 'unknown');
    assert.equal(await outcome({ ...byPath, absent: ['404'] }, missing), 'absent');
    // A proxy's page has the status, but not the upstream's own error.
    assert.equal(await outcome({ ...byPath, absent: ['404'] }, htmlPage), 'unknown');
    const { absent: _, ...unproved } = byPath;
    assert.equal(await outcome(unproved, missing), 'unknown');
    assert.equal(await outcome(byPath, problem(500, 'internal', 'Sorry.')), 'unknown');
  });
});

describe('in a list', () => {
  const item = (id: string, reference: string) => ({
    id,
    callback: `https://svc.example.test/callbacks/lumen/${reference}`,
  });

  test('is never absent, because a list may be incomplete', async () => {
    for (const renders of [[], [item('a', 'ref_2')], 'none', undefined]) {
      assert.equal(await outcome(byList, json(200, { renders })), 'unknown');
    }
  });
});
