/** What kills and pauses left behind, as tables a person can read and sentences. */

import { findingViolations } from '../fault-test.ts';
import type { Findings } from '../findings.ts';
import type { Engine } from '../installation.ts';
import { median } from '../quantile.ts';
import type { TrialResult } from './trial.ts';

const columns = [
  'times',
  'acknowledged',
  'lost',
  'doubled upstream',
  'not final',
  'invariants broken',
  'median s to resume',
  'max s to resume',
] as const;

/** Every breach with where it was seen. Time is a figure, and no breach: machines are slow. */
export function trialViolations(
  result: Findings & { readonly engine: Engine; readonly killPoint: string },
): string[] {
  return findingViolations(result).map((what) => `${result.engine}, ${result.killPoint}: ${what}`);
}

/** A trial that could not be carried out is a breach too. */
export function errorResult(engine: Engine, killPoint: string, error: Error): TrialResult {
  const nothing = { acknowledged: 0, lost: [], doubled: [], unfinished: [] };
  const broken = [error.message];
  return { engine, killPoint, resumedSeconds: 0, finalSeconds: 0, ...nothing, broken };
}

/** How soon work went on. */
export function notesOf(engine: Engine, results: readonly TrialResult[]): string[] {
  if (results.length === 0) return [];
  const { median, most } = resumed(results);
  const where = engine === 'postgres' ? 'PostgreSQL' : 'the embedded engine';
  return [`On ${where} work resumed after ${median} s in the median, ${most} s at the most.`];
}

export function tableOf(title: string, results: readonly TrialResult[]): string {
  const byKillPoint = Map.groupBy(results, ({ killPoint }) => killPoint);
  const rows = [...byKillPoint].map(([killPoint, group]) => row(killPoint, group));
  if (rows.length > 1) rows.push(row('**all**', results));
  const head = `| ${title} | ${columns.join(' | ')} |\n|---|${columns.map(() => '--:|').join('')}`;
  return `${head}\n${rows.join('\n')}\n`;
}

function row(name: string, results: readonly TrialResult[]): string {
  const sum = (count: (result: TrialResult) => number) =>
    results.reduce((total, result) => total + count(result), 0);
  const { median, most } = resumed(results);
  const cells = [
    results.length,
    sum(({ acknowledged }) => acknowledged),
    sum(({ lost }) => lost.length),
    sum(({ doubled }) => doubled.length),
    sum(({ unfinished }) => unfinished.length),
    sum(({ broken }) => broken.length),
    median,
    most,
  ];
  return `| ${name} | ${cells.join(' | ')} |`;
}

function resumed(results: readonly TrialResult[]): { median: string; most: string } {
  const seconds = results.map((one) => one.resumedSeconds);
  return { median: median(seconds).toFixed(1), most: Math.max(...seconds).toFixed(1) };
}
