/**
 * The last result of each fault test, one JSON file each in docs/reliability/. The page is
 * generated from the files, so that tests of hours and of seconds need not run together.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { FaultTestResult } from './fault-test.ts';

export type PublishedResult = FaultTestResult & {
  readonly name: string;
  /** The runs asked for; `runs` is the number done. */
  readonly asked: number;
  readonly seed: number;
  readonly minutes: number;
  readonly endedOn: string;
  readonly machine: string;
  /** The 15-minute load average of the machine, the test included. */
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

/** Adds the counts, violations and notes of two results; all else is that of the second. */
export function addResults(first: FaultTestResult, second: FaultTestResult): FaultTestResult {
  return {
    ...second,
    runs: first.runs + second.runs,
    acknowledged: first.acknowledged + second.acknowledged,
    lost: first.lost + second.lost,
    doubled: first.doubled + second.doubled,
    unfinished: first.unfinished + second.unfinished,
    broken: first.broken + second.broken,
    violations: [...first.violations, ...second.violations],
    notes: [...first.notes, ...second.notes],
  };
}

export function machine(): Pick<PublishedResult, 'machine' | 'load'> {
  const [core] = cpus();
  return {
    machine: `${cpus().length} × ${core?.model.trim() ?? 'unknown'}, Node ${process.version}`,
    load: Math.round(loadavg()[2]! * 10) / 10,
  };
}
