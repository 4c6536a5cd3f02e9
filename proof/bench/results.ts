/** The published results: a JSON file for each section, with the machine it was measured on. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { nowMs } from '../../server/clock.ts';
import type { BenchOptions, SectionResult } from './bench-context.ts';

export const resultsFolder = join(import.meta.dirname, '../../docs/performance');

export type SavedResult = SectionResult & {
  readonly measuredOn: string;
  readonly machine: string;
  readonly options: Pick<BenchOptions, 'rounds' | 'seconds' | 'accounts' | 'growthTasks'>;
};

const fileOf = (section: string): string => join(resultsFolder, `${section}.json`);

export function saveResult(section: string, result: SectionResult, options: BenchOptions): void {
  const { rounds, seconds, accounts, growthTasks } = options;
  const saved: SavedResult = {
    measuredOn: new Date(nowMs()).toISOString().slice(0, 10),
    machine: describeMachine(),
    options: { rounds, seconds, accounts, growthTasks },
    ...result,
  };
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(fileOf(section), `${JSON.stringify(saved, roundNumbers, 1)}\n`);
}

/** Returns null for a section that was never measured. */
export function readResult(section: string): SavedResult | null {
  const file = fileOf(section);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SavedResult) : null;
}

const roundNumbers = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;

function describeMachine(): string {
  const [core] = cpus();
  const model = core?.model.trim() || `${process.arch} processor`;
  const memoryGb = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} × ${model}, ${memoryGb} GB, Node ${process.version}`;
}
