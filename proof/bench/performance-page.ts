/** Writes `docs/performance.md` and its charts from the saved results. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { barChart } from './chart.ts';
import {
  type Comparison,
  comparisonTable,
  describeResult,
  describeTarget,
  table,
} from './comparison.ts';
import { dayPart } from './day-page.ts';
import type { Figure } from './memory.ts';
import { readResult, resultsFolder, type SavedResult } from './results.ts';

const page = join(resultsFolder, '../performance.md');

const compared = ['create', 'hot', 'status', 'task', 'webhooks'] as const;
const others = ['finish', 'previews'] as const;

export function writePage(): void {
  writeFileSync(page, performancePage(readResult, saveChart));
}

const saveChart = (name: string, svg: string): void =>
  writeFileSync(join(resultsFolder, `${name}.svg`), svg);

/** Sections without a result are left out. */
export function performancePage(
  read: (section: string) => SavedResult | null,
  save: (name: string, svg: string) => void,
): string {
  const results = compared.flatMap((section) => read(section) ?? []);
  const comparisons = results.flatMap((result) => result.comparisons ?? []);
  const [growth, day, memory] = [read('growth'), read('day'), read('memory')];
  const parts = [
    intro,
    summary(comparisons, growth),
    ...results.flatMap((result) => comparedPart(result, save)),
    ...(growth ? [growthPart(growth, save)] : []),
    ...(day ? [dayPart(day, save)] : []),
    ...(memory ? [memoryPart(memory)] : []),
    ...others.flatMap((section) => textPart(read(section))),
  ];
  return parts.join('\n');
}

const intro = `# Performance

Written by \`npm run bench\` from the files in [performance/](performance/). It measures processor
time per request, from the operating system's accounting, for the service and the database apart:
it depends less on the load of the machine than throughput does. Each figure stands beside a limit,
a program that does only what cannot be left out, measured in turns with it in the same run. Figures
are medians over the rounds, and a ratio is the median of the ratios within a round.

- **Service**: the processes of \`server/main.ts\` with the default log level and no rate limits.
- **Database**: PostgreSQL from npm with the settings of \`npm start\`, where every commit waits for
  the disk. The service and its limit have a server each.
- **Load**: a process of its own on keep-alive connections, each sending its next request when the
  response is complete. Its processor time, and that of upstreams and receivers, is not counted.
- **Limits**: for creates, a bare \`node:http\` server that parses the same JSON and inserts the
  same task, ledger entry and job into tables without constraints, in transactions of the same size.
  For status, it reads the same row by its key in batches and sends the same bytes. For whole tasks,
  \`pgbench\` runs the statements of the same row changes in batches
  ([whole-task.sql](../proof/bench/whole-task.sql)). For webhooks, a bare \`node:https\` client
  posts the same bytes.
`;

function summary(comparisons: readonly Comparison[], growth: SavedResult | null): string {
  const rows = [...comparisons, ...(growth?.comparisons ?? [])].map((one) => [
    one.title,
    describeTarget(one.target),
    describeResult(one),
  ]);
  return ['## Targets', '', ...table(['', 'target', 'result'], rows), ''].join('\n');
}

const measuredLine = ({ measuredOn, machine, options }: SavedResult): string =>
  `Measured on ${measuredOn}: ${machine}; ${options.rounds} rounds of ${options.seconds} s.\n`;

function comparedPart(result: SavedResult, save: (name: string, svg: string) => void): string[] {
  return (result.comparisons ?? []).map((comparison) => {
    save(comparison.id, comparisonChart(comparison));
    const image = `![${comparison.title}](performance/${comparison.id}.svg)\n`;
    return [comparisonTable(comparison).replace(/^###/, '##'), image, measuredLine(result)].join(
      '\n',
    );
  });
}

/** Processor time by part, or throughput, of the work and its limit. */
function comparisonChart({ title, subject, limit, target }: Comparison): string {
  const measured = [subject, limit];
  if (target.field === 'perSecond') {
    const bars = measured.map(({ name, perSecond }) => ({
      ...{ label: name, parts: [perSecond], text: `${perSecond.toFixed(0)}/s` },
    }));
    return barChart(bars, { title: `${title}: per second` });
  }
  const bars = measured.map(({ name, serviceMicros, databaseMicros, totalMicros }) => ({
    ...{
      label: name,
      parts: [serviceMicros, databaseMicros],
      text: `${totalMicros.toFixed(0)} µs`,
    },
  }));
  const mark = { value: limit.totalMicros * target.ratio, text: `target ${target.ratio} ×` };
  return barChart(bars, { title: `${title}: µs each`, parts: ['service', 'database'], mark });
}

function growthPart(result: SavedResult, save: (name: string, svg: string) => void): string {
  const { comparisons = [], options } = result;
  const tasks = options.growthTasks.toLocaleString('en-US');
  const title = `Cost with ${tasks} tasks, as a multiple of that with 10,000`;
  const bars = comparisons.map(({ title: name, ratio }) => ({
    ...{ label: nameOf(name), parts: [ratio], text: `${ratio.toFixed(2)} ×` },
  }));
  save('growth', barChart(bars, { title, mark: { value: 1.15, text: 'target 1.15 ×' } }));
  return [
    `## Growth to ${tasks} tasks and three times as many ledger entries\n`,
    growthTable(comparisons),
    `![${title}](performance/growth.svg)\n`,
    growthNote(comparisons),
    measuredLine(result),
  ].join('\n');
}

/** What the ratios of processor time do not show. */
function growthNote(comparisons: readonly Comparison[]): string {
  const create = comparisons.find(({ id }) => id === 'growth-create');
  const wal = (measured?: { readonly walBytes: number }) => (measured?.walBytes ?? 0).toFixed(0);
  return `A create writes ${wal(create?.subject)} bytes of write-ahead log, and with 10,000 tasks
${wal(create?.limit)}. Its records are 2,000 to 3,000 bytes with both. The rest are images of
whole pages, which PostgreSQL logs when a page is first changed after a checkpoint. By
\`pg_get_wal_block_info\`, during 10 s after a checkpoint with 1,000,000 tasks:

- 5,500 bytes per create are pages of \`tasks\`. Those of a loaded history have room for one more
  row, and new tasks fill it first, one page each. When all were filled, after 9 s, a create wrote
  3,300 bytes in all.
- 3,000 are pages of indexes that begin with the account: \`tasks_by_account\`, \`ledger_by_mode\`,
  \`ledger_entries_number\`, \`ledger_entries_state\`. With many tasks each account has pages of its
  own, which are logged once per checkpoint, so this ends with the number of accounts.
- IDs sort by time: pages of their indexes are at most 4 bytes per create.

A response about usage has a row per day and status. Where the table has "usage of 30 days", it has
about 60 rows with many tasks and 4 with 10,000, and "usage" compares periods with 4 rows on both
sides. Databases that are kept between runs also have the tasks of earlier runs. Rows read by lists,
counts and checks are compared in [history.test.ts](../proof/bench/history.test.ts).
`;
}

function textPart(result: SavedResult | null): string[] {
  if (!result?.text) return [];
  return [`${result.text}\nMeasured on ${result.measuredOn}: ${result.machine}.\n`];
}

/** The operation, without the sizes. */
const nameOf = (title: string): string => title.split(',')[0]!;

export function growthTable(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map((one) => [
    nameOf(one.title),
    ...[one.limit, one.subject].map(({ totalMicros }) => totalMicros.toFixed(0)),
    describeResult(one),
  ]);
  const [first] = comparisons;
  const sizes = first ? [first.limit, first.subject].map(({ name }) => `${name}, µs`) : ['', ''];
  return [...table(['', ...sizes, 'result'], rows), ''].join('\n');
}

const memoryPart = (result: SavedResult): string =>
  [
    '## Memory, start and size',
    '',
    figuresTable(result.figures ?? []),
    'The database is not counted in memory, and processes have the compile cache of `npm start`.',
    'The tasks in flight never end: the worker polls them for at most two minutes, with as many at',
    'once as it can, and need not reach them all. The start is `npm start` on an existing home',
    'directory, to the first create that is answered. Packages are those that `npm start` installs',
    'on this platform, without Node.',
    '',
    measuredLine(result),
  ].join('\n');

export function figuresTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ title, value, unit, atMost, isReached }) => [
    title,
    `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`,
    `at most ${atMost} ${unit}`,
    isReached ? 'reached' : 'missed',
  ]);
  return [...table(['', 'measured', 'target', 'result'], rows), ''].join('\n');
}
