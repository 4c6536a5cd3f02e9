/**
 * What each proof found when it was last run, one JSON file for each in docs/reliability/. The page
 * is made of them, so that proofs of hours and of seconds need not be run together.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { FaultTestResult } from './fault-test.ts';

export type PublishedResult = FaultTestResult & {
  readonly name: string;
  /** What was asked for; `runs` is how many it came to. */
  readonly asked: number;
  readonly seed: number;
  readonly minutes: number;
  readonly endedOn: string;
  readonly machine: string;
  /** Of the machine over the last 15 minutes, ours included. */
  readonly load: number;
};

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'docs/reliability');
const fileOf = (name: string): string => join(folder, `${name}.json`);

export function writeResult(result: PublishedResult): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(result.name), `${JSON.stringify(result, null, 2)}\n`);
}

export function readResult(name: string): PublishedResult | null {
  if (!existsSync(fileOf(name))) return null;
  return JSON.parse(readFileSync(fileOf(name), 'utf8')) as PublishedResult;
}

export function writePage(page: string): void {
  writeFileSync(join(root, 'docs/reliability.md'), page);
}

/** Two runs as one; the seed, the machine, the notes and the tables are those of the second. */
export function sumResults(first: PublishedResult, second: PublishedResult): PublishedResult {
  const earlier = first.runs.toLocaleString('en');
  return {
    ...second,
    asked: first.asked + second.asked,
    runs: first.runs + second.runs,
    minutes: Math.round((first.minutes + second.minutes) * 10) / 10,
    acknowledged: first.acknowledged + second.acknowledged,
    lost: first.lost + second.lost,
    doubled: first.doubled + second.doubled,
    unfinished: first.unfinished + second.unfinished,
    broken: first.broken + second.broken,
    violations: [...first.violations, ...second.violations],
    notes: [
      `${earlier} of these are of earlier runs; what follows is of the last.`,
      ...second.notes,
    ],
  };
}

export function machine(): Pick<PublishedResult, 'machine' | 'load'> {
  const [core] = cpus();
  return {
    machine: `${cpus().length} × ${core?.model.trim() ?? 'unknown'}, Node ${process.version}`,
    load: Math.round(loadavg()[2]! * 10) / 10,
  };
}
