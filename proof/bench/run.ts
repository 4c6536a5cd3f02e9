/**
 * `npm run bench`: measures the published figures. See `npm run bench -- --help`.
 */
import { parseArgs } from 'node:util';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { comparisonTable } from './comparison.ts';
import { growthBench } from './growth.ts';
import { requestSections, requestsBench } from './requests.ts';
import type { RoundOptions } from './rounds.ts';
import { webhooksBench } from './webhooks.ts';
import { wholeTaskBench } from './whole-task.ts';

export type BenchOptions = RoundOptions & {
  readonly accounts: number;
  /** Creates per minute and key; 0 is no limit and no window. */
  readonly createLimit: number;
  readonly growthTasks: number;
  /** Keeps the databases of the growth section there for the next run. */
  readonly growthFolder: string | undefined;
  /** Where V8 writes processor profiles of the service. */
  readonly profileFolder: string | undefined;
};

export type BenchContext = {
  /** Deleted at the end. */
  readonly folder: string;
  readonly options: BenchOptions;
  log(line: string): void;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    'warm-up': { type: 'string' },
    accounts: { type: 'string', default: '1000' },
    'create-limit': { type: 'string', default: '0' },
    tasks: { type: 'string', default: '1000000' },
    keep: { type: 'string' },
    'cpu-prof': { type: 'string' },
  },
});
const options: BenchOptions = {
  rounds: Number(values.rounds ?? (values.quick ? 3 : 7)),
  seconds: Number(values.seconds ?? (values.quick ? 1 : 3)),
  warmUpSeconds: Number(values['warm-up'] ?? (values.quick ? 2 : 5)),
  accounts: Number(values.accounts),
  createLimit: Number(values['create-limit']),
  growthTasks: Number(values.tasks),
  growthFolder: values.keep,
  profileFolder: values['cpu-prof'],
};
const folder = makeTemporaryFolder('bench');
const context = { folder, options, log: (line: string) => void process.stderr.write(`${line}\n`) };
if (positionals.includes('webhooks')) {
  for (const one of await webhooksBench(context)) process.stdout.write(`${comparisonTable(one)}\n`);
}
if (positionals.includes('growth')) {
  for (const one of await growthBench(context)) process.stdout.write(`${comparisonTable(one)}\n`);
}
if (positionals.includes('task')) {
  for (const one of await wholeTaskBench(context))
    process.stdout.write(`${comparisonTable(one)}\n`);
}
const chosen = requestSections.filter(
  (name) => positionals.length === 0 || positionals.includes(name),
);
if (chosen.length > 0)
  for (const comparison of await requestsBench(context, chosen)) {
    process.stdout.write(`${comparisonTable(comparison)}\n`);
  }
deleteFolder(folder);
process.exit(0);
