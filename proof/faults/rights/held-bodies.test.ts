/**
 * A sample of the fault test `held-bodies`: every endpoint with a right, each with one way to lose
 * it before the body has arrived and one while the handler runs.
 * Thorough: `api/people/lost-rights.test.ts` is in every run.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endpointRequests } from './endpoint-requests.ts';
import {
  type LostRightCase,
  lostRightCases,
  openRightsFixture,
  type RightsFixture,
  rightfulEndpoints,
} from './held-bodies.ts';

let fixture: RightsFixture;
before(async () => {
  fixture = await openRightsFixture();
});
after(async () => await fixture[Symbol.asyncDispose]());

/** Each endpoint tries another way than the one before it. */
const sample: readonly LostRightCase[] = rightfulEndpoints.flatMap((endpoint, at) =>
  (['body', 'transaction'] as const).flatMap((when) => {
    const cases = lostRightCases.filter((one) => one.endpoint === endpoint && one.when === when);
    return cases.length === 0 ? [] : [cases[at % cases.length]!];
  }),
);

test('has a request for every endpoint with a right', () => {
  assert.deepEqual(Object.keys(endpointRequests).toSorted(), rightfulEndpoints.toSorted());
});

describe('a caller who keeps the right', () => {
  for (const endpoint of rightfulEndpoints) {
    test(`succeeds: ${endpoint}`, async () => {
      const { status, body } = await fixture.sendAllowed(endpoint);
      assert.ok(status >= 200 && status < 300, `${status} ${JSON.stringify(body)}`);
    });
  }
});

describe('a caller who loses the right meanwhile changes nothing', () => {
  const all = process.env.VIDGEN_TEST_THOROUGH ? lostRightCases : sample;
  for (const one of all) {
    test(`${one.endpoint}, ${one.how} (${one.when})`, async () => {
      assert.deepEqual(await fixture.tryLostRight(one), []);
    });
  }
});
