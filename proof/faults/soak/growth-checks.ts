/**
 * Which series must be bounded, and by how much they may rise all the same. What is kept for ever
 * by design, one row or more a task, is judged by its bytes a task.
 */
import { type Allowance, classifyGrowth, type Growth, type Point } from './growth.ts';
import type { Measurements } from './measurements.ts';
import { historyTables, passingTables, rewrittenTables } from './sampler.ts';

export type Unit = 'bytes' | 'count';
export type GrowthCheck = Growth & { readonly what: string; readonly unit: Unit };

type CheckedSeries = {
  readonly what: string;
  readonly unit: Unit;
  readonly points: readonly Point[];
  readonly allowance: Allowance;
};

const mebibyte = 1024 ** 2;
/** Of the run, and in any case, that a process must have lived for its memory to be judged. */
const lifeShareMin = 0.4;
const lifeMsMin = 5 * 60_000;
/** Figures of one sample are this close to each other. */
const sampleSpreadMs = 1000;
/** Fewer tasks say nothing: tables grow by whole pages. */
const tasksMin = 100;

export function checkGrowth(measurements: Measurements): GrowthCheck[] {
  const series = [
    ...processSeries(measurements),
    ...tableSeries(measurements),
    ...historySeries(measurements),
    ...latencySeries(measurements),
  ];
  return series
    .filter(({ points }) => points.some(({ value }) => Number.isFinite(value)))
    .map(({ what, unit, points, allowance }) => ({
      what,
      unit,
      ...classifyGrowth(points, allowance),
    }));
}

/** Over the longest life of the process that is spared: a restart forgets what was gathered. */
function processSeries(measurements: Measurements): CheckedSeries[] {
  const life = longestLife(measurements.series('steady pid'));
  const seriesOf = (
    what: string,
    name: string,
    unit: Unit,
    allowance: Allowance,
  ): CheckedSeries => ({
    what,
    unit,
    points: life ? measurements.series(name).filter(({ atMs }) => within(atMs, life)) : [],
    allowance,
  });
  return [
    seriesOf('resident memory', 'steady resident', 'bytes', { share: 0.15, least: 24 * mebibyte }),
    seriesOf('heap in use', 'steady heap', 'bytes', { share: 0.25, least: 12 * mebibyte }),
    seriesOf('open files', 'steady files', 'count', { share: 0.2, least: 60 }),
    seriesOf('sockets', 'steady sockets', 'count', { share: 0.2, least: 60 }),
    seriesOf('threads', 'steady threads', 'count', { share: 0, least: 2 }),
  ];
}

type Life = { readonly fromMs: number; readonly untilMs: number };
const within = (atMs: number, { fromMs, untilMs }: Life) => atMs >= fromMs && atMs <= untilMs;

function longestLife(pids: readonly Point[]): Life | null {
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
  const seriesOf = (
    what: string,
    name: string,
    unit: Unit,
    allowance: Allowance,
  ): CheckedSeries => ({
    what,
    unit,
    points: measurements.series(name),
    allowance,
  });
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
    what: name === 'database' ? 'the whole database, a task' : `table ${name}, a task`,
    unit: 'bytes' as const,
    points: perTask(measurements, `${name} bytes`),
    allowance: { share: 0.1, least: 64 },
  }));
}

/** What came on top of the first value, divided by the tasks that came meanwhile. */
export function perTask(measurements: Measurements, name: string): Point[] {
  const tasks = measurements.series('tasks');
  const points = measurements.series(name);
  let at = 0;
  return points.flatMap(({ atMs, value }) => {
    while (at + 1 < tasks.length && tasks[at + 1]!.atMs <= atMs + sampleSpreadMs) at += 1;
    const count = (tasks[at]?.value ?? 0) - (tasks[0]?.value ?? 0);
    return count >= tasksMin ? [{ atMs, value: (value - points[0]!.value) / count }] : [];
  });
}

/**
 * In health checks of the same minute: a machine that others slow down slows both. Only what
 * doubles is called growth.
 */
function latencySeries(measurements: Measurements): CheckedSeries[] {
  const checks = new Map(measurements.series('health p50').map(({ atMs, value }) => [atMs, value]));
  return ['create', 'status', 'list', 'dashboard'].map((operation) => ({
    what: `${operation}, median, in health checks`,
    unit: 'count' as const,
    points: measurements.series(`${operation} p50`).map(({ atMs, value }) => ({
      atMs,
      value: value / (checks.get(atMs) ?? Number.NaN),
    })),
    allowance: { share: 1, least: 3 },
  }));
}
