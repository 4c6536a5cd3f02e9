/** `npm run bench`: measures every section, or those named, and prints their tables. */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';
import type { BenchContext, BenchOptions } from './bench-context.ts';
import { type Comparison, comparisonTable } from './comparison.ts';
import { deliveryBench } from './delivery.ts';
import { growthBench } from './growth.ts';
import { requestSections, requestsBench } from './requests.ts';
import { simultaneousCompletionBench } from './simultaneous-completion.ts';
import { webhooksBench } from './webhooks.ts';
import { wholeTaskBench } from './whole-task.ts';

const help = `npm run bench -- [section …] [options]

Sections (all by default):
  create, hot, status, delivery, task, webhooks, queues, growth

  --quick             fewer and shorter rounds of create, hot, status and task
  --rounds N          7 by default
  --seconds N         length of a round; 3 by default
  --warm-up N         seconds before the first round; 12 by default
  --accounts N        1000 by default, 200 with --quick
  --tasks N           size of the growth section; 1000000 by default
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    'warm-up': { type: 'string' },
    accounts: { type: 'string' },
    tasks: { type: 'string', default: '1000000' },
  },
});
const { quick } = values;
const options: BenchOptions = {
  rounds: Number(values.rounds ?? (quick ? 3 : 7)),
  seconds: Number(values.seconds ?? (quick ? 1 : 3)),
  warmUpSeconds: Number(values['warm-up'] ?? (quick ? 1 : 12)),
  accounts: Number(values.accounts ?? (quick ? 200 : 1000)),
  growthTasks: Number(values.tasks),
};

type Section = (context: BenchContext) => Promise<readonly Comparison[] | string>;
const sections: Readonly<Record<string, Section>> = {
  delivery: deliveryBench,
  task: wholeTaskBench,
  webhooks: webhooksBench,
  queues: simultaneousCompletionBench,
  growth: growthBench,
};

async function runSections(context: BenchContext, names: readonly string[]): Promise<void> {
  const print = (result: readonly Comparison[] | string) => {
    const text = typeof result === 'string' ? result : result.map(comparisonTable).join('\n');
    process.stdout.write(`${text}\n`);
  };
  // They share an installation.
  const requests = requestSections.filter((name) => names.includes(name));
  if (requests.length > 0) print(await requestsBench(context, requests));
  for (const [name, run] of Object.entries(sections)) {
    if (names.includes(name)) print(await run(context));
  }
}

const all = [...requestSections, ...Object.keys(sections)];
const named = positionals.length > 0 ? positionals : quick ? [...requestSections, 'task'] : all;
const unknown = named.filter((name) => !all.includes(name));
if (values.help || unknown.length > 0) {
  process.stdout.write(help);
  process.exit(unknown.length > 0 ? 1 : 0);
}
const folder = makeTemporaryFolder('bench');
try {
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const model = cpus()[0]?.model.trim() || `${process.arch} processor`;
  const memoryGb = Math.round(totalmem() / 1024 ** 3);
  log(`${cpus().length} × ${model}, ${memoryGb} GB, Node ${process.version}`);
  await runSections({ folder, options, log }, named);
} finally {
  deleteFolder(folder);
}
process.exit(0);
