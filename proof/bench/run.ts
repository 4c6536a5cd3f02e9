/**
 * `npm run bench`: measures every section, and writes `docs/performance.md` with its data and
 * charts, and `docs/scale.md`. With names of sections it only prints them, unless `--write` is
 * given.
 */
import { parseArgs } from 'node:util';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';
import type { BenchContext, BenchOptions, SectionResult } from './bench-context.ts';
import { comparisonTable } from './comparison.ts';
import { dayBench } from './day.ts';
import { dayTable } from './day-page.ts';
import { growthBench } from './growth.ts';
import { memoryBench } from './memory.ts';
import { figuresTable, growthTable, writePage } from './performance-page.ts';
import { previewBench } from './preview.ts';
import { requestSections, requestsBench } from './requests.ts';
import { saveResult } from './results.ts';
import { writeScalePage } from './scale-page.ts';
import { simultaneousCompletionBench } from './simultaneous-completion.ts';
import { webhooksBench } from './webhooks.ts';
import { wholeTaskBench } from './whole-task.ts';

const help = `npm run bench -- [section …] [options]

Sections (all by default):
  create, hot, status, task, webhooks, growth, day, memory, finish, previews

  --quick             fewer and shorter rounds of create, hot, status and task; prints only
  --write             writes docs/performance also when sections are named
  --rounds N          7 by default
  --seconds N         length of a round; 3 by default
  --warm-up N         seconds before the first round; 5 by default
  --accounts N        1000 by default, 200 with --quick
  --create-limit N    creates per minute and key; 0 by default, which is none
  --processes N       API processes of create, hot and status; by default one without a group
  --tasks N           size of the growth section; 100000 by default
  --in-flight N       tasks that a worker polls in the section memory; 100000 by default
  --hours N           length of the section of steady load (day); 48 by default
  --keep FOLDER       keeps the databases of the growth section for the next run
  --cpu-prof FOLDER   writes processor profiles of the service; with create and task also prints the
                      slowest statements, with create the write-ahead log per create
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    'warm-up': { type: 'string' },
    accounts: { type: 'string' },
    'create-limit': { type: 'string', default: '0' },
    processes: { type: 'string' },
    tasks: { type: 'string', default: '100000' },
    'in-flight': { type: 'string', default: '100000' },
    hours: { type: 'string', default: '48' },
    keep: { type: 'string' },
    'cpu-prof': { type: 'string' },
  },
});
const { quick } = values;
const options: BenchOptions = {
  rounds: Number(values.rounds ?? (quick ? 3 : 7)),
  seconds: Number(values.seconds ?? (quick ? 1 : 3)),
  warmUpSeconds: Number(values['warm-up'] ?? (quick ? 1 : 12)),
  accounts: Number(values.accounts ?? (quick ? 200 : 1000)),
  createLimit: Number(values['create-limit']),
  processes: values.processes === undefined ? undefined : Number(values.processes),
  growthTasks: Number(values.tasks),
  growthFolder: values.keep,
  inFlightTasks: Number(values['in-flight']),
  dayHours: Number(values.hours),
  profileFolder: values['cpu-prof'],
};

type Results = Readonly<Record<string, SectionResult>>;
const withText = async (text: Promise<string>): Promise<SectionResult> => ({ text: await text });

/** Creates, hot accounts and status share an installation. */
async function runRequests(context: BenchContext, names: readonly string[]): Promise<Results> {
  const chosen = requestSections.filter((name) => names.includes(name));
  const comparisons = chosen.length > 0 ? await requestsBench(context, chosen) : [];
  return Object.fromEntries(comparisons.map((one) => [one.id, { comparisons: [one] }]));
}

const sections: Readonly<Record<string, (context: BenchContext) => Promise<SectionResult>>> = {
  task: async (context) => ({ comparisons: await wholeTaskBench(context) }),
  webhooks: async (context) => ({ comparisons: await webhooksBench(context) }),
  growth: growthBench,
  day: async (context) => ({ day: await dayBench(context) }),
  memory: async (context) => ({ figures: await memoryBench(context) }),
  finish: ({ log }) => withText(simultaneousCompletionBench(log)),
  previews: ({ log }) => withText(previewBench(log)),
};

async function runSections(context: BenchContext, names: readonly string[]): Promise<void> {
  const report = (results: Results) => {
    for (const [name, result] of Object.entries(results)) {
      process.stdout.write(`${textOf(name, result)}\n`);
      if (isWritten) saveResult(name, result, options);
    }
  };
  report(await runRequests(context, names));
  for (const [name, run] of Object.entries(sections)) {
    if (names.includes(name)) report({ [name]: await run(context) });
  }
}

function textOf(
  name: string,
  { comparisons = [], figures, day, text = '' }: SectionResult,
): string {
  if (day) return dayTable(day);
  if (figures) return figuresTable(figures);
  if (name === 'growth') return growthTable(comparisons);
  return [...comparisons.map(comparisonTable), text].join('\n');
}

const all = [...requestSections, ...Object.keys(sections)];
const named = positionals.length > 0 ? positionals : quick ? [...requestSections, 'task'] : all;
const unknown = named.filter((name) => !all.includes(name));
const isWritten = values.write || (positionals.length === 0 && !quick);
if (values.help || unknown.length > 0) {
  process.stdout.write(help);
  process.exit(unknown.length > 0 ? 1 : 0);
}
const folder = makeTemporaryFolder('bench');
try {
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  await runSections({ folder, options, log }, named);
  if (isWritten) {
    writePage();
    writeScalePage();
  }
} finally {
  deleteFolder(folder);
}
process.exit(0);
