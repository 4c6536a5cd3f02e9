/**
 * A soak run of a few seconds with one process that is killed once.
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pageOf } from './page.ts';
import { plotsOf } from './plots.ts';
import { type SoakResult, soak } from './soak.ts';

const ms = 4000;
const perSecond = 6;
const seed = 1;

let folder: string;
let result: SoakResult;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidgen-soak-test-'));
  result = await soak({
    cluster: null,
    processes: 1,
    ms,
    perSecond,
    seed,
    log: () => {},
    signal: new AbortController().signal,
  });
});
after(() => rm(folder, { recursive: true, force: true }));

test('every acknowledged task ends as planned, and no invariant is broken', () => {
  assert.deepEqual(result.violations, []);
  assert.equal(result.counts['processes killed'], 1);
  assert.ok(result.findings.acknowledged > 0);
});

test('samples the process, its tables and its folders', () => {
  const { measurements } = result;
  const tables = ['jobs bytes', 'jobs rows', 'connections'];
  const names = ['steady heap', 'tasks', 'jobs ready', 'results bytes', ...tables];
  if (process.platform === 'linux') names.push('steady resident', 'steady files');
  for (const name of names) {
    const values = measurements.series(name).map(({ value }) => value);
    assert.ok(values.some(Number.isFinite), name);
  }
  assert.ok(measurements.series('tasks').at(-1)!.value > 0);
});

test('draws the charts, and shows each of them on the page', async () => {
  const plots = plotsOf(result);
  for (const { file, svg } of plots) await writeFile(join(folder, file), svg);
  const page = pageOf({ result, plots, minutes: ms / 60_000, perSecond, seed });
  for (const file of await readdir(folder)) {
    const drawn = await readFile(join(folder, file), 'utf8');
    assert.match(drawn, /^<svg /);
    assert.doesNotMatch(drawn, /NaN|Infinity|undefined/, file);
    assert.ok(page.includes(`/${file})`), file);
  }
  assert.ok(plots.length >= 5);
  assert.ok(page.includes('No violation'));
});
