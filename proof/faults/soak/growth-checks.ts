/**
 * Which series must be bounded, and by how much they may rise. Tables that keep rows for ever by
 * design are checked by their bytes per task.
 */
import {
  type Allowance,
  classifyGrowth,
  type Growth,
  type Measurements,
  type SeriesPoint,
} from './growth.ts';
import { historyTables, passingTables, rewrittenTables } from './sampler.ts';

type ValueUnit = 'bytes' | 'count';
export type GrowthCheck = Growth & { readonly what: string; readonly unit: ValueUnit };

type CheckedSeries = {
  readonly what: string;
  readonly unit: ValueUnit;
  readonly points: readonly SeriesPoint[];
  readonly allowance: Allowance;
};

const seriesFrom =
  (pointsOf: (name: string) => readonly SeriesPoint[]) =>
  (what: string, name: string, unit: ValueUnit, allowance: Allowance): CheckedSeries => ({
    what,
    unit,
    points: pointsOf(name),
    allowance,
  });

const mebibyte = 1024 ** 2;
/** A process must have lived for this share of the run, and this long, for its memory to count. */
const lifeShareMin = 0.4;
const lifeMsMin = 5 * 60_000;
/** The values of one sample are at most this far apart. */
const sampleSpreadMs = 1000;
/** With fewer tasks the size per task means nothing: tables grow by whole pages. */
const tasksMin = 100;

export function checkGrowth(measurements: Measurements): GrowthCheck[] {
  const series = [
    ...processSeries(measurements),
    ...tableSeries(measurements),
    ...historySeries(measurements),
  ];
  return series
    .filter(({ points }) => points.some(({ value }) => Number.isFinite(value)))
    .map(({ what, unit, points, allowance }) => ({
      what,
      unit,
      ...classifyGrowth(points, allowance),
    }));
}

/** Series of the steady process over its longest life: a restart frees everything. */
function processSeries(measurements: Measurements): CheckedSeries[] {
  const life = longestLife(measurements.series('steady pid'));
  const pointsOf = (name: string) =>
    life ? measurements.series(name).filter(({ atMs }) => within(atMs, life)) : [];
  const seriesOf = seriesFrom(pointsOf);
  return [
    seriesOf('resident memory', 'steady resident', 'bytes', { share: 0.15, least: 24 * mebibyte }),
    seriesOf('heap in use', 'steady heap', 'bytes', { share: 0.25, least: 12 * mebibyte }),
    seriesOf('open files', 'steady files', 'count', { share: 0.2, least: 60 }),
    seriesOf('sockets', 'steady sockets', 'count', { share: 0.2, least: 60 }),
    seriesOf('threads', 'steady threads', 'count', { share: 0, least: 2 }),
  ];
}

type ProcessLife = { readonly fromMs: number; readonly untilMs: number };
const within = (atMs: number, { fromMs, untilMs }: ProcessLife) =>
  atMs >= fromMs && atMs <= untilMs;

function longestLife(pids: readonly SeriesPoint[]): ProcessLife | null {
  const lives = [...Map.groupBy(pids, ({ value }) => value)]
    .filter(([pid]) => Number.isFinite(pid))
    .map(([, points]) => ({ fromMs: points[0]!.atMs, untilMs: points.at(-1)!.atMs }))
    .sort((a, b) => b.untilMs - b.fromMs - (a.untilMs - a.fromMs));
  const runMs = (pids.at(-1)?.atMs ?? 0) - (pids[0]?.atMs ?? 0);
  const [longest] = lives;
  const enoughMs = Math.max(lifeMsMin, runMs * lifeShareMin);
  return longest && longest.untilMs - longest.fromMs >= enoughMs ? longest : null;
}

function tableSeries(measurements: Measurements): CheckedSeries[] {
  const seriesOf = seriesFrom((name) => measurements.series(name));
  return [
    ...passingTables.map((table) =>
      seriesOf(`rows of ${table}`, `${table} rows`, 'count', { share: 0.5, least: 100 }),
    ),
    ...rewrittenTables.map((table) =>
      seriesOf(`table ${table}`, `${table} bytes`, 'bytes', { share: 0.4, least: mebibyte }),
    ),
    seriesOf('database connections', 'connections', 'count', { share: 0.2, least: 6 }),
    seriesOf('results kept', 'results bytes', 'bytes', { share: 0.3, least: mebibyte }),
    seriesOf('files and folders of results', 'results entries', 'count', { share: 0.3, least: 60 }),
    seriesOf('left by killed processes', 'unfinished bytes', 'bytes', {
      share: 0.3,
      least: mebibyte,
    }),
  ];
}

function historySeries(measurements: Measurements): CheckedSeries[] {
  const names = [...historyTables, 'database'];
  return names.map((name) => ({
    what: name === 'database' ? 'the whole database, per task' : `table ${name}, per task`,
    unit: 'bytes' as const,
    points: perTask(measurements, `${name} bytes`),
    allowance: { share: 0.1, least: 64 },
  }));
}

/** The growth since the first value, divided by the tasks created meanwhile. */
function perTask(measurements: Measurements, name: string): SeriesPoint[] {
  const tasks = measurements.series('tasks');
  const points = measurements.series(name);
  let at = 0;
  return points.flatMap(({ atMs, value }) => {
    while (at + 1 < tasks.length && tasks[at + 1]!.atMs <= atMs + sampleSpreadMs) at += 1;
    const count = (tasks[at]?.value ?? 0) - (tasks[0]?.value ?? 0);
    return count >= tasksMin ? [{ atMs, value: (value - points[0]!.value) / count }] : [];
  });
}

/** Formats a value for readers. */
export function formatValue(value: number, unit: ValueUnit): string {
  if (unit === 'count') return formatNumber(value);
  if (value >= mebibyte) return `${formatNumber(value / mebibyte)} MB`;
  return value >= 1024 ? `${formatNumber(value / 1024)} KB` : `${formatNumber(value)} bytes`;
}

/** Two decimals below 10, none above 100. */
function formatNumber(value: number): string {
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}
