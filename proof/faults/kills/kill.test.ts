/**
 * A sample of the fault test `kills`: three kills (five in the thorough suite), at different crash
 * points or at a random time, each followed by a restart.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findingViolations } from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { atRandomTime, type KillPoint, Trials } from './trial.ts';

const further: readonly KillPoint[] = ['submit.answered', 'collect.stored'];
const sample: readonly KillPoint[] = [
  'accept.after-commit',
  ...(process.env.VIDGEN_TEST_THOROUGH ? further : []),
  'settle.before-commit',
  atRandomTime,
];

let installation: Installation;
let trials: Trials;
before(async () => {
  const upstream = { lostPercent: { done: 3, notDone: 0 } };
  installation = await Installation.open({ upstream });
  trials = new Trials(installation, { cutsLeases: true });
});
after(() => installation.close());

for (const [at, killPoint] of sample.entries()) {
  test(`kill ${at + 1}, ${killPoint}: no task is lost, doubled or unfinished`, async () => {
    const result = await trials.run(killPoint);
    assert.deepEqual(findingViolations(result), []);
    assert.ok(result.acknowledged > 0);
  });
}

test('after all kills every task is unchanged', async () => {
  assert.deepEqual(findingViolations(await trials.inspectAll()), []);
});
