/**
 * A sample of what `npm run faults` does at length: `kill -9` under load, then a new start. Six
 * kills on the two engines together, at different points of a task's life or at any moment.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestServer } from '../../kit/postgres.ts';
import { testEngine } from '../../kit/scratch-database.ts';
import { findingViolations } from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { atRandomTime, type KillPoint, Trials } from './trial.ts';

const sample = {
  embedded: ['settle.before-commit', atRandomTime],
  postgres: ['accept.after-commit', 'submit.answered', 'collect.stored', atRandomTime],
} as const satisfies Record<typeof testEngine, readonly KillPoint[]>;

let server: TestServer | undefined;
let installation: Installation;
let trials: Trials;
before(async () => {
  if (testEngine === 'postgres') server = await startPostgres();
  installation = await Installation.open({
    engine: testEngine,
    percentLost: { done: 3, notDone: 0 },
    ...(server ? { serverUrl: server.url } : {}),
  });
  trials = new Trials(installation, { cutLeases: true });
});
after(async () => {
  await installation.close();
  await server?.stop();
});

for (const [at, killPoint] of sample[testEngine].entries()) {
  test(`kill ${at + 1}, ${killPoint}: nothing is lost, doubled or unfinished`, async () => {
    const result = await trials.run(killPoint);
    assert.deepEqual(findingViolations(result), []);
    assert.ok(result.acknowledged > 0);
  });
}

test('after all kills every task is still as it was', async () => {
  assert.deepEqual(findingViolations(await trials.inspectAll()), []);
});
