/** Tables and notes about power cuts. */
import type { FaultTestResult } from '../fault-test.ts';
import { median } from '../quantile.ts';
import type { CutResult } from './trial.ts';

const columns = [
  ...['cuts', 'acknowledged', 'lost', 'corrupt', 'unopenable'],
  ...['median s to start', 'max s to start'],
];

/** What cuts under a PostgreSQL with `fsync=off` found; nothing means that the test is blind. */
export type PlantedLosses = { readonly cuts: number; readonly violations: number };

/** One table per target, with a row for each time of a cut. */
export function cutReport(
  results: readonly CutResult[],
  planted: PlantedLosses,
): Pick<FaultTestResult, 'notes' | 'details'> {
  const byTarget = [...Map.groupBy(results, ({ target }) => target)];
  const { cuts, violations } = planted;
  return {
    notes: [
      'Acknowledged are commits of clients of PostgreSQL, and creates of the service.',
      `With \`fsync=off\` the same cuts show losses: ${violations} in cut ${cuts}.`,
    ],
    details: byTarget.map(([target, own]) => tableOf(target, own)).join('\n'),
  };
}

function tableOf(target: string, results: readonly CutResult[]): string {
  const byTime = Map.groupBy(results, ({ time }) => time);
  const rows = [...byTime].map(([time, group]) => row(time, group));
  if (rows.length > 1) rows.push(row('**all**', results));
  const head = `| ${target}, cut | ${columns.join(' | ')} |`;
  const line = `|---|${columns.map(() => '--:|').join('')}`;
  return [head, line, ...rows, ''].join('\n');
}

function row(name: string, results: readonly CutResult[]): string {
  const sum = (count: (result: CutResult) => number) =>
    results.reduce((total, one) => total + count(one), 0);
  const seconds = results.map(({ startSeconds }) => startSeconds);
  const cells = [
    results.length,
    sum(({ acknowledged }) => acknowledged),
    sum(({ lost }) => lost.length),
    sum(({ doubled, unfinished, broken, unopenable }) => {
      return doubled.length + unfinished.length + broken.length - unopenable.length;
    }),
    sum(({ unopenable }) => unopenable.length),
    median(seconds).toFixed(1),
    Math.max(...seconds).toFixed(1),
  ];
  return `| ${name} | ${cells.join(' | ')} |`;
}
