/**
 * Kills the service with `kill -9` and starts it again: six times, at different crash points and
 * at a random time; with `RUNS` at every crash point, at random times and while it starts, and
 * leases expire by themselves.
 *
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { crashPoints } from '../../../server/process/crash-point.ts';
import { findingViolations } from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { atRandomTime, type KillPoint, Trials, whileStarting } from './trial.ts';

const sample: readonly KillPoint[] = [
  'accept.after-commit',
  'submit.response',
  'collect.signed',
  'collect.stored',
  'settle.before-commit',
  atRandomTime,
];

const runs = Number(process.env.RUNS ?? 0);
const chosen = runs > 0 ? killPointsFor(runs) : sample;

let installation: Installation;
let trials: Trials;
before(async () => {
  const upstream = { lostPercent: { done: 3, notDone: 0 } };
  installation = await Installation.open({ upstream });
  trials = new Trials(installation, { cutsLeases: runs === 0 });
});
after(() => installation.close());

for (const [at, killPoint] of chosen.entries()) {
  test(`kill ${at + 1}, ${killPoint}: no task is lost, doubled or unfinished`, async () => {
    const result = await trials.run(killPoint);
    assert.deepEqual(findingViolations(result), []);
    assert.ok(result.acknowledged > 0);
  });
}

test('after all kills every task is unchanged', async () => {
  assert.deepEqual(findingViolations(await trials.inspectAll()), []);
});

/**
 * Half of the kills go through the crash points in turn, each at least once; the rest is random.
 */
function killPointsFor(count: number): KillPoint[] {
  const namedCount = Math.min(count, Math.max(crashPoints.length, Math.floor(count / 2)));
  const namedBefore = (at: number) => Math.floor((at * namedCount) / count);
  return Array.from({ length: count }, (_, at) => {
    const nth = namedBefore(at);
    if (namedBefore(at + 1) > nth) return crashPoints[nth % crashPoints.length]!;
    return (at - nth) % 3 === 2 ? whileStarting : atRandomTime;
  });
}
