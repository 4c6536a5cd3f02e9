/**
 * Thorough: starts several database servers and installations of the service.
 *
 * Every section in its smallest size: that it runs from end to end and counts what it measures.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';
import type { BenchContext } from './bench-context.ts';
import { dayBench } from './day.ts';
import { growthBench } from './growth.ts';
import { inFlightMemory } from './in-flight.ts';
import { performancePage } from './performance-page.ts';
import { requestsBench } from './requests.ts';
import type { SavedResult } from './results.ts';
import { scalePage } from './scale-page.ts';
import { webhooksBench } from './webhooks.ts';
import { wholeTaskBench } from './whole-task.ts';

const folder = makeTemporaryFolder('bench-test');
after(() => deleteFolder(folder));

const contextOf = (name: string): BenchContext => ({
  folder: `${folder}/${name}`,
  options: {
    ...{ rounds: 1, seconds: 0.3, warmUpSeconds: 0.1, accounts: 20, createLimit: 0 },
    ...{ growthTasks: 2000, growthFolder: undefined, dayHours: 2, profileFolder: undefined },
    ...{ inFlightTasks: 100, processes: undefined },
  },
  log: () => {},
});

const saved: SavedResult = {
  measuredOn: '2026-01-01',
  machine: 'a machine',
  options: contextOf('').options,
};

describe('benchmarks', { skip: process.platform !== 'linux' }, () => {
  test('creates and status are measured beside a bare server', async () => {
    const results = await requestsBench(contextOf('requests'), ['create', 'hot', 'status']);
    assert.deepEqual(
      results.map(({ id }) => id),
      ['create', 'hot', 'status'],
    );
    for (const { subject, limit } of results) {
      for (const { perSecond, totalMicros } of [subject, limit]) {
        assert.ok(perSecond > 0 && totalMicros > 0);
      }
    }
    const charts = new Map<string, string>();
    const read = (section: string) =>
      section === 'create' ? { ...saved, comparisons: results } : null;
    const page = performancePage(read, (name, svg) => void charts.set(name, svg));
    assert.deepEqual([...charts.keys()], ['create', 'hot', 'status']);
    for (const { id, title } of results) {
      assert.ok(page.includes(`## ${title}\n`) && page.includes(`performance/${id}.svg`));
    }
    const scale = scalePage(() => ({ ...saved, comparisons: results, bytesPerTask: 4000 }));
    assert.match(scale ?? '', /\| PostgreSQL, rows of 30 days +\| +10 GB \| +1,037 GB \|/);
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
    const { comparisons = [], bytesPerTask = 0 } = await growthBench(contextOf('growth'));
    assert.ok(bytesPerTask > 0);
    const names = comparisons.map(({ id }) => id.replace('growth-', ''));
    const required = ['claim', 'settle', 'status', 'list', 'statement', 'usage', 'search'];
    for (const name of [...required, 'audit-slice', 'create']) assert.ok(names.includes(name));
  });

  test('the memory of a worker is measured until it has polled every task', async () => {
    const messages: string[] = [];
    const log = (line: string) => void messages.push(line);
    assert.ok((await inFlightMemory({ ...contextOf('in-flight'), log })) > 0);
    assert.equal(messages.at(-1), '100 of 100 tasks were polled');
  });

  test('hours of steady load are sampled', async () => {
    const day = await dayBench(contextOf('day'));
    const jobs = day.hours.map((hour) => hour.jobs.rows);
    assert.deepEqual(jobs, [day.tasksPerHour, 2 * day.tasksPerHour]);
    const charts = new Map<string, string>();
    const read = (section: string) => (section === 'day' ? { ...saved, day } : null);
    const page = performancePage(read, (name, svg) => void charts.set(name, svg));
    assert.ok(page.includes('## 2 hours of steady load') && page.includes('performance/day.svg'));
    assert.match(charts.get('day')!, /idempotency_keys/);
  });
});
