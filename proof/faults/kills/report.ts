/** What kills and pauses left behind, as tables a person can read and sentences. */
import type { Findings } from '../findings.ts';
import type { Engine } from '../installation.ts';
import { breachesOf } from '../proof.ts';
import { median } from '../quantile.ts';
import type { Verdict } from './trial.ts';

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
export function sentencesOf(
  verdict: Findings & { readonly engine: Engine; readonly moment: string },
): string[] {
  return breachesOf(verdict).map((what) => `${verdict.engine}, ${verdict.moment}: ${what}`);
}

/** A trial that could not be carried out is a breach too. */
export function mishap(engine: Engine, moment: string, error: Error): Verdict {
  const nothing = { acknowledged: 0, lost: [], doubled: [], unfinished: [] };
  const broken = [error.message];
  return { engine, moment, resumedSeconds: 0, finalSeconds: 0, ...nothing, broken };
}

/** How soon work went on. */
export function notesOf(engine: Engine, verdicts: readonly Verdict[]): string[] {
  if (verdicts.length === 0) return [];
  const { median, most } = resumed(verdicts);
  const where = engine === 'postgres' ? 'PostgreSQL' : 'the embedded engine';
  return [`On ${where} work resumed after ${median} s in the median, ${most} s at the most.`];
}

export function tableOf(title: string, verdicts: readonly Verdict[]): string {
  const byMoment = Map.groupBy(verdicts, ({ moment }) => moment);
  const rows = [...byMoment].map(([moment, those]) => row(moment, those));
  if (rows.length > 1) rows.push(row('**all**', verdicts));
  const head = `| ${title} | ${columns.join(' | ')} |\n|---|${columns.map(() => '--:|').join('')}`;
  return `${head}\n${rows.join('\n')}\n`;
}

function row(name: string, verdicts: readonly Verdict[]): string {
  const sum = (count: (verdict: Verdict) => number) =>
    verdicts.reduce((total, verdict) => total + count(verdict), 0);
  const { median, most } = resumed(verdicts);
  const cells = [
    verdicts.length,
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

function resumed(verdicts: readonly Verdict[]): { median: string; most: string } {
  const seconds = verdicts.map((one) => one.resumedSeconds);
  return { median: median(seconds).toFixed(1), most: Math.max(...seconds).toFixed(1) };
}
