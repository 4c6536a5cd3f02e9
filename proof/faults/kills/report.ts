/** Tables and notes about kills and pauses. */
import { type FaultTestResult, noFindings, resultOf } from '../fault-test.ts';
import { median } from '../quantile.ts';
import type { TrialResult } from './trial.ts';

const columns = [
  ...['times', 'acknowledged', 'lost', 'doubled upstream', 'not final', 'invariants broken'],
  ...['median s to resume', 'max s to resume'],
];

/** A trial that failed with an error counts as a violation. */
export function errorTrial(killPoint: string, { message }: Error): TrialResult {
  return { ...noFindings, label: killPoint, killPoint, resumedSeconds: 0, broken: [message] };
}

/** A note and a table about all trials. */
export function trialReport(
  what: string,
  trials: readonly TrialResult[],
): Pick<FaultTestResult, 'notes' | 'details'> {
  if (trials.length === 0) return { notes: [], details: '' };
  const [middle, most] = resumed(trials);
  return {
    notes: [`Work resumed after ${middle} s (median), ${most} s (maximum).`],
    details: tableOf(what, trials),
  };
}

function tableOf(title: string, trials: readonly TrialResult[]): string {
  const byKillPoint = Map.groupBy(trials, ({ killPoint }) => killPoint);
  const rows = [...byKillPoint].map(([killPoint, group]) => row(killPoint, group));
  if (rows.length > 1) rows.push(row('**all**', trials));
  const head = `| ${title} | ${columns.join(' | ')} |\n|---|${columns.map(() => '--:|').join('')}`;
  return `${head}\n${rows.join('\n')}\n`;
}

function row(name: string, trials: readonly TrialResult[]): string {
  const { runs, acknowledged, lost, doubled, unfinished, broken } = resultOf(trials);
  const cells = [runs, acknowledged, lost, doubled, unfinished, broken, ...resumed(trials)];
  return `| ${name} | ${cells.join(' | ')} |`;
}

function resumed(trials: readonly TrialResult[]): [median: string, most: string] {
  const seconds = trials.map((one) => one.resumedSeconds);
  return [median(seconds).toFixed(1), Math.max(...seconds).toFixed(1)];
}
