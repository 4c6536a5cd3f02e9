/** The charts of a soak run: which series stand together, and what their titles say of them. */

import { median } from '../quantile.ts';
import { type Chart, drawChart, type Line, type LinePoint } from './chart.ts';
import { formatValue } from './format-value.ts';
import type { Point } from './growth.ts';
import { type GrowthCheck, perTask } from './growth-checks.ts';
import type { Mark, Measurements } from './measurements.ts';
import { historyTables } from './sampler.ts';
import type { SoakResult } from './soak.ts';

export type Plot = { readonly file: string; readonly alt: string; readonly svg: string };
type Group = Pick<Chart, 'title' | 'subtitle' | 'panels'> & { readonly file: string };

const mebibyte = 1024 ** 2;
const kibibyte = 1024;
const minuteMs = 60_000;

export function plotsOf(result: SoakResult): Plot[] {
  const { measurements } = result;
  const lastMs = Math.max(minuteMs / 60, ...measurements.series('tasks').map(({ atMs }) => atMs));
  const isLong = lastMs > 2 * minuteMs;
  const unitMs = isLong ? minuteMs : 1000;
  const asMark = ({ atMs, kind }: Mark) =>
    ({ x: atMs / unitMs, kind: kind === 'database' ? 'line' : 'tick' }) as const;
  return groupsOf(result)
    .map(({ panels, ...group }) => ({
      ...group,
      panels: panels.filter(({ lines }) => lines.some(({ points }) => points.length > 0)),
    }))
    .filter(({ panels }) => panels.length > 0)
    .map(({ file, ...group }) => {
      const inUnit = ({ x, y }: LinePoint) => ({ x: x / unitMs, y });
      const panels = group.panels.map((panel) => ({
        ...panel,
        lines: panel.lines.map(({ name, points }) => ({ name, points: points.map(inUnit) })),
      }));
      const svg = drawChart({
        ...group,
        panels,
        xMax: lastMs / unitMs,
        xUnit: isLong ? 'minutes' : 'seconds',
        marks: measurements.marks.map(asMark),
        markNames: {
          tick:
            measurements.series('restless pid').length > 0
              ? 'the restless process was killed or stopped'
              : 'the process was killed or stopped',
          line: 'the database was killed',
        },
      });
      return { file, alt: group.title, svg };
    });
}

function groupsOf(result: SoakResult): Group[] {
  const { measurements, growthChecks } = result;
  const line = lineOf(measurements);
  const titleOf = (what: string, label: string) => growthTitle(growthChecks, { what, label });
  return [
    memoryGroup(line, titleOf),
    handlesGroup(line, titleOf),
    historyGroup(measurements, line, titleOf),
    passingGroup(line, titleOf),
    resultsGroup(line, titleOf),
    workGroup(measurements, line),
    latencyGroup(line, titleOf),
  ];
}

type LineOf = (name: string, series: string, per?: number) => Line;
type TitleOf = (what: string, label: string) => string;

const lineOf =
  (measurements: Measurements): LineOf =>
  (name, series, per = 1) => ({ name, points: linePoints(measurements.series(series), per) });

const linePoints = (points: readonly Point[], per = 1): LinePoint[] =>
  points.map(({ atMs, value }) => ({ x: atMs, y: value / per }));

/** "Resident memory stays: 180 MB, then 184 MB." */
function growthTitle(
  growthChecks: readonly GrowthCheck[],
  { what, label }: { what: string; label: string },
): string {
  const found = growthChecks.find((one) => one.what === what);
  if (!found || found.verdict === 'too few points') return label;
  const isLess = found.before - found.after > found.allowed;
  const verb = isLess
    ? 'falls'
    : { flat: 'stays', settled: 'settles', grows: 'grows' }[found.verdict];
  const [before, after] = [found.before, found.after].map((one) => formatValue(one, found.unit));
  return before === after
    ? `${label} ${verb} at ${after}`
    : `${label} ${verb}: ${before}, then ${after}`;
}

function memoryGroup(line: LineOf, titleOf: TitleOf): Group {
  return {
    file: 'memory.svg',
    title: titleOf('resident memory', 'Memory of the process that is never killed'),
    subtitle:
      'Medians of the second and of the last fifth of the run; the first is for warming up.',
    panels: [
      {
        title: 'Resident memory',
        unit: 'MB',
        lines: [
          line('steady process', 'steady resident', mebibyte),
          line('restless process', 'restless resident', mebibyte),
        ].filter(hasPoints),
      },
      {
        title: titleOf('heap in use', 'Heap in use'),
        unit: 'MB',
        lines: [
          line('steady process', 'steady heap', mebibyte),
          line('restless process', 'restless heap', mebibyte),
        ].filter(hasPoints),
      },
    ],
  };
}

function handlesGroup(line: LineOf, titleOf: TitleOf): Group {
  return {
    file: 'handles.svg',
    title: titleOf('open files', 'The number of open files'),
    subtitle:
      'Of the process that is never killed, sockets included; they come with long looks and calls.',
    panels: [
      {
        title: 'Open files, sockets and threads',
        unit: 'count',
        lines: [
          line('open files', 'steady files'),
          line('of these sockets', 'steady sockets'),
          line('threads', 'steady threads'),
        ],
      },
      {
        title: titleOf('database connections', 'The number of database connections'),
        unit: 'count',
        lines: [line('connections', 'connections')],
      },
    ],
  };
}

function historyGroup(measurements: Measurements, line: LineOf, titleOf: TitleOf): Group {
  const tables = historyTables.map((table) => ({
    name: table,
    points: linePoints(perTask(measurements, `${table} bytes`), kibibyte),
  }));
  return {
    file: 'history.svg',
    title: titleOf('the whole database, a task', 'What a task takes for ever'),
    subtitle: 'Tasks and the books are kept: their tables grow by the same for each task.',
    panels: [
      {
        title: 'The tables that keep history, with their indexes',
        unit: 'MB',
        lines: historyTables.map((table) => line(table, `${table} bytes`, mebibyte)),
      },
      { title: 'The same, divided by the tasks there are', unit: 'KB a task', lines: tables },
      {
        title: 'Dead rows, until they are vacuumed (a crash of the database forgets the count)',
        unit: 'rows',
        lines: [...historyTables.slice(0, 3), 'jobs', 'balances'].map((table) =>
          line(table, `${table} dead`),
        ),
      },
    ],
  };
}

function passingGroup(line: LineOf, titleOf: TitleOf): Group {
  return {
    file: 'passing.svg',
    title: titleOf('rows of jobs', 'The number of jobs'),
    subtitle:
      'What comes must go: jobs with their results, remembered keys, windows and sessions in time.',
    panels: [
      {
        title: 'Rows of the queue, and remembered idempotency keys',
        unit: 'rows',
        lines: [line('jobs', 'jobs rows'), line('idempotency_keys', 'idempotency_keys rows')],
      },
      {
        title: 'Rows of windows and sessions',
        unit: 'rows',
        lines: [
          line('create_windows', 'create_windows rows'),
          line('status_rounds', 'status_rounds rows'),
          line('sessions', 'sessions rows'),
          line('sign_in_troubles', 'sign_in_troubles rows'),
        ],
      },
      {
        title: titleOf('table jobs', 'The table of the queue on the disk'),
        unit: 'MB',
        lines: [
          line('jobs', 'jobs bytes', mebibyte),
          line('create_windows', 'create_windows bytes', mebibyte),
          line('balances', 'balances bytes', mebibyte),
        ],
      },
    ],
  };
}

function resultsGroup(line: LineOf, titleOf: TitleOf): Group {
  return {
    file: 'results.svg',
    title: titleOf('results kept', 'What results take on the disk'),
    subtitle:
      'As many expire as are made. What a killed process left half made is swept after an hour.',
    panels: [
      {
        title: 'Bytes',
        unit: 'MB',
        lines: [
          line('results', 'results bytes', mebibyte),
          line('downloads and copies in the making', 'unfinished bytes', mebibyte),
        ],
      },
      {
        title: 'Files and folders',
        unit: 'count',
        lines: [
          line('results', 'results entries'),
          line('downloads and copies in the making', 'unfinished entries'),
        ],
      },
    ],
  };
}

function workGroup(measurements: Measurements, line: LineOf): Group {
  const [came, done] = ['tasks', 'tasks final'].map((name) => paceOf(measurements, name));
  return {
    file: 'work.svg',
    title: came && done ? `${came} tasks a second come in, ${done} are finished` : 'Work',
    subtitle: 'Medians. What a dead process held goes on when its lease of 15 s has ended.',
    panels: [
      {
        title: 'Tasks',
        unit: 'a second',
        lines: [
          { name: 'created', points: rateOf(measurements.series('tasks')) },
          { name: 'finished', points: rateOf(measurements.series('tasks final')) },
        ],
      },
      {
        title: 'Jobs that are due or held, without those of a later time',
        unit: 'count',
        lines: [line('due', 'jobs ready'), line('held by a lease', 'jobs running')],
      },
      {
        title: 'From the end of a task to its call, at receivers that answer',
        unit: 'seconds',
        scale: 'logarithmic',
        lines: [line('median', 'webhook p50'), line('p95', 'webhook p95')],
      },
    ],
  };
}

/** Undefined when there was too little time to tell. */
function paceOf(measurements: Measurements, name: string): string | undefined {
  const pace = median(rateOf(measurements.series(name)).map(({ y }) => y));
  return Number.isFinite(pace) ? pace.toFixed(1) : undefined;
}

function latencyGroup(line: LineOf, titleOf: TitleOf): Group {
  const quantiles = (operation: string): Line[] =>
    (['p50', 'p95', 'p99'] as const).map((name) => line(name, `${operation} ${name}`));
  const panel = (operation: string, label: string) => ({
    title: label,
    unit: 'ms',
    scale: 'logarithmic' as const,
    lines: quantiles(operation),
  });
  return {
    file: 'latency.svg',
    title: titleOf(
      'status, median, in health checks',
      'The time of a status query, in health checks,',
    ),
    subtitle: 'Clients, provider, receivers, database and service share the cores of one machine.',
    panels: [
      panel('create', 'A create'),
      panel('status', 'A status query'),
      panel('list', 'A list of tasks'),
      panel('dashboard', 'A read of the dashboard'),
      panel('health', 'A health check: one query, whatever there is in the database'),
    ],
  };
}

const hasPoints = ({ points }: Line): boolean => points.length > 0;

/** Over a few samples, or single tasks would show. */
function rateOf(points: readonly Point[]): LinePoint[] {
  const span = 4;
  return points.slice(span).map(({ atMs, value }, at) => {
    const from = points[at]!;
    return { x: atMs, y: (value - from.value) / ((atMs - from.atMs) / 1000) };
  });
}
