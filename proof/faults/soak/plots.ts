/** The charts of a soak run: which series are shown together, and their titles. */
import { median } from '../quantile.ts';
import { type ChartPanel, drawChart } from './chart.ts';
import type { SeriesPoint } from './growth.ts';
import { formatValue, type GrowthCheck, perTask } from './growth-checks.ts';
import type { Measurements } from './measurements.ts';
import { historyTables } from './sampler.ts';
import type { SoakResult } from './soak.ts';

export type Plot = { readonly file: string; readonly alt: string; readonly svg: string };

type PlottedTitle = {
  readonly title: string;
  /** The growth check whose verdict is added to the title. */
  readonly check?: string;
};
type PlottedPanel = PlottedTitle & {
  readonly unit: string;
  readonly scale?: ChartPanel['scale'];
  /** The name of each line, and its series. */
  readonly lines: Readonly<Record<string, string>>;
};
type PlottedChart = PlottedTitle & {
  readonly file: string;
  readonly subtitle: string;
  readonly panels: readonly PlottedPanel[];
};

const unitSizes: Readonly<Record<string, number>> = { MB: 1024 ** 2, 'KB per task': 1024 };
const minuteMs = 60_000;
/** Rates are taken over several samples, or single tasks would show. */
const samplesPerRate = 4;

const linesOf = (names: readonly string[], suffix: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, `${name} ${suffix}`]));
const ofBoth = (what: string) => ({
  'steady process': `steady ${what}`,
  'restless process': `restless ${what}`,
});
const latency = (operation: string, title: string): PlottedPanel => {
  const lines = { p50: `${operation} p50`, p95: `${operation} p95`, p99: `${operation} p99` };
  return { title, unit: 'ms', scale: 'logarithmic', lines };
};

const charts: readonly PlottedChart[] = [
  {
    file: 'memory.svg',
    check: 'resident memory',
    title: 'Memory of the process that is never killed',
    subtitle: 'Medians of the second and of the last fifth of the run; the first is the warm-up.',
    panels: [
      { title: 'Resident memory', unit: 'MB', lines: ofBoth('resident') },
      { check: 'heap in use', title: 'Heap in use', unit: 'MB', lines: ofBoth('heap') },
    ],
  },
  {
    file: 'handles.svg',
    check: 'open files',
    title: 'The number of open files',
    subtitle: 'Of the process that is never killed, sockets of long polls and webhooks included.',
    panels: [
      {
        title: 'Open files, sockets and threads',
        unit: 'count',
        lines: {
          'open files': 'steady files',
          'of these sockets': 'steady sockets',
          threads: 'steady threads',
        },
      },
      {
        check: 'database connections',
        title: 'The number of database connections',
        unit: 'count',
        lines: { connections: 'connections' },
      },
    ],
  },
  {
    file: 'history.svg',
    check: 'the whole database, per task',
    title: 'The size of a task in the database',
    subtitle: 'Tasks and the ledger are kept for ever: their tables grow by the same per task.',
    panels: [
      {
        title: 'The tables that keep history, with their indexes',
        unit: 'MB',
        lines: linesOf(historyTables, 'bytes'),
      },
      {
        title: 'The same, divided by the number of tasks',
        unit: 'KB per task',
        lines: linesOf(historyTables, 'bytes per task'),
      },
      {
        title: 'Dead rows until a vacuum (a crash of the database resets the count)',
        unit: 'rows',
        lines: linesOf([...historyTables.slice(0, 3), 'jobs', 'balances'], 'dead'),
      },
    ],
  },
  {
    file: 'passing.svg',
    check: 'rows of jobs',
    title: 'The number of jobs',
    subtitle: 'Rows that are deleted again: jobs, idempotency keys, windows and sessions.',
    panels: [
      {
        title: 'Rows of the queue, and idempotency keys',
        unit: 'rows',
        lines: linesOf(['jobs', 'idempotency_keys'], 'rows'),
      },
      {
        title: 'Rows of windows and sessions',
        unit: 'rows',
        lines: linesOf(['create_windows', 'status_rounds', 'sessions', 'sign_in_troubles'], 'rows'),
      },
      {
        check: 'table jobs',
        title: 'The table of the queue on the disk',
        unit: 'MB',
        lines: linesOf(['jobs', 'create_windows', 'balances'], 'bytes'),
      },
    ],
  },
  {
    file: 'results.svg',
    check: 'results kept',
    title: 'The size of results on the disk',
    subtitle: 'As many expire as are stored. Partial files of a killed process go after an hour.',
    panels: [
      {
        title: 'Bytes',
        unit: 'MB',
        lines: { results: 'results bytes', 'downloads and partial copies': 'unfinished bytes' },
      },
      {
        title: 'Files and folders',
        unit: 'count',
        lines: { results: 'results entries', 'downloads and partial copies': 'unfinished entries' },
      },
    ],
  },
  {
    file: 'work.svg',
    title: 'Work',
    subtitle: 'Medians. The jobs of a dead process continue when its lease of 15 s has expired.',
    panels: [
      {
        title: 'Tasks',
        unit: 'per second',
        lines: { created: 'tasks rate', finished: 'tasks final rate' },
      },
      {
        title: 'Jobs that are due or leased, without scheduled ones',
        unit: 'count',
        lines: { due: 'jobs ready', leased: 'jobs running' },
      },
      {
        title: 'From the end of a task to its webhook, at good receivers',
        unit: 'seconds',
        scale: 'logarithmic',
        lines: { median: 'webhook p50', p95: 'webhook p95' },
      },
    ],
  },
  {
    file: 'latency.svg',
    check: 'status, median, in health checks',
    title: 'The duration of a status query, in health checks,',
    subtitle: 'Clients, provider, receivers, database and service share the cores of one machine.',
    panels: [
      latency('create', 'A create'),
      latency('status', 'A status query'),
      latency('list', 'A list of tasks'),
      latency('dashboard', 'A read of the dashboard'),
      latency('health', 'A health check: one query, whatever is in the database'),
    ],
  },
];

export function plotsOf({ measurements, growthChecks }: SoakResult): Plot[] {
  const lastMs = Math.max(1000, ...measurements.series('tasks').map(({ atMs }) => atMs));
  const isLong = lastMs > 2 * minuteMs;
  const unitMs = isLong ? minuteMs : 1000;
  const isPair = measurements.series('restless pid').length > 0;
  const titleOf = (titled: PlottedTitle) => growthTitle(growthChecks, titled);
  return charts.flatMap(({ file, subtitle, panels: planned, ...titled }) => {
    const panels = planned
      .map(({ unit, scale = 'linear', lines, ...panelTitle }) => ({
        ...{ title: titleOf(panelTitle), unit, scale },
        lines: Object.entries(lines)
          .map(([name, series]) => ({
            name,
            points: seriesOf(measurements, series).map(({ atMs, value }) => ({
              x: atMs / unitMs,
              y: value / (unitSizes[unit] ?? 1),
            })),
          }))
          .filter(({ points }) => points.length > 0),
      }))
      .filter(({ lines }) => lines.length > 0);
    if (panels.length === 0) return [];
    const title = file === 'work.svg' ? workTitle(measurements) : titleOf(titled);
    const svg = drawChart({
      ...{ title, subtitle, panels, xMax: lastMs / unitMs, xUnit: isLong ? 'minutes' : 'seconds' },
      marks: measurements.marks.map(({ atMs, kind }) => ({
        x: atMs / unitMs,
        kind: kind === 'database' ? 'line' : 'tick',
      })),
      markNames: {
        tick: `the ${isPair ? 'restless ' : ''}process was killed or stopped`,
        line: 'the database was killed',
      },
    });
    return [{ file, alt: title, svg }];
  });
}

/** A measured series, or one that is derived: `… rate` or `… per task`. */
function seriesOf(measurements: Measurements, name: string): readonly SeriesPoint[] {
  if (name.endsWith(' per task')) return perTask(measurements, name.replace(/ per task$/, ''));
  if (!name.endsWith(' rate')) return measurements.series(name);
  const points = measurements.series(name.replace(/ rate$/, ''));
  return points.slice(samplesPerRate).map(({ atMs, value }, at) => {
    const from = points[at]!;
    return { atMs, value: (value - from.value) / ((atMs - from.atMs) / 1000) };
  });
}

/** Adds the verdict: `Resident memory stays: 180 MB, then 184 MB`. */
function growthTitle(checks: readonly GrowthCheck[], { title, check }: PlottedTitle): string {
  const found = checks.find(({ what }) => what === check);
  if (!found || found.verdict === 'too few points') return title;
  const isLess = found.before - found.after > found.allowed;
  const verbs = { flat: 'stays', settled: 'settles', grows: 'grows' };
  const verb = isLess ? 'falls' : verbs[found.verdict];
  const [before, after] = [found.before, found.after].map((one) => formatValue(one, found.unit));
  const change = before === after ? ` at ${after}` : `: ${before}, then ${after}`;
  return `${title} ${verb}${change}`;
}

/** The median rates, or `Work` when the run was too short. */
function workTitle(measurements: Measurements): string {
  const [created, finished] = ['tasks rate', 'tasks final rate'].map((name) =>
    median(seriesOf(measurements, name).map(({ value }) => value)),
  ) as [number, number];
  if (!Number.isFinite(created) || !Number.isFinite(finished)) return 'Work';
  return `${created.toFixed(1)} tasks per second are created, ${finished.toFixed(1)} finished`;
}
