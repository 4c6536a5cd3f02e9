/**
 * Thorough: starts several database servers and installations of the service.
 *
 * Every section in its smallest size: that it runs from end to end and counts what it measures.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';
import type { BenchContext } from './bench-context.ts';
import { growthBench } from './growth.ts';
import { requestsBench } from './requests.ts';
import { webhooksBench } from './webhooks.ts';
import { wholeTaskBench } from './whole-task.ts';

const folder = makeTemporaryFolder('bench-test');
after(() => deleteFolder(folder));

const contextOf = (name: string): BenchContext => ({
  folder: `${folder}/${name}`,
  options: { rounds: 1, seconds: 0.3, warmUpSeconds: 0.1, accounts: 20, growthTasks: 2000 },
  log: () => {},
});

describe('benchmarks', { skip: process.platform !== 'linux' }, () => {
  test('creates and status are measured beside a bare server', async () => {
    const results = await requestsBench(contextOf('requests'), ['create', 'hot', 'status']);
    assert.deepEqual(
      results.map(({ id }) => id),
      ['create', 'hot', 'status'],
    );
    for (const { subject, limit } of results) {
      assert.ok(subject.perSecond > 0 && limit.perSecond > 0);
      // The kernel counts in 10 ms, of which the bare server may need less.
      assert.ok(subject.totalMicros > 0);
    }
  });

  test('whole tasks are measured beside pgbench where there is one', async () => {
    const messages: string[] = [];
    const log = (line: string) => void messages.push(line);
    const [result] = await wholeTaskBench({ ...contextOf('task'), log });
    if (!result) return assert.match(messages.join('\n'), /skipped: there is no pgbench/);
    assert.ok(result.subject.totalMicros > 0 && result.limit.databaseMicros > 0);
  });

  test('webhooks are measured beside bare posts, and while receivers hang', async () => {
    const results = await webhooksBench(contextOf('webhooks'));
    assert.deepEqual(
      results.map(({ id, subject }) => [id, subject.perSecond > 0]),
      [
        ['webhooks', true],
        ['hanging', true],
      ],
    );
  });

  test('a loaded history keeps the invariants, and every operation is measured on it', async () => {
    const table = await growthBench(contextOf('growth'));
    for (const name of ['claim', 'settle', 'status', 'list', 'search', 'audit slice', 'create']) {
      assert.match(table, new RegExp(`^\\| ${name} +\\| +\\d+ \\|`, 'm'));
    }
  });
});
