/** The section about two days of steady load: a table and a chart of sizes. */
import { table } from './comparison.ts';
import { bytesOf, type DayResult, dayTables } from './day.ts';
import { lineChart } from './line-chart.ts';
import type { SavedResult } from './results.ts';

/** Keys live the longest, 25 hours and until the next sweep. */
const steadyFromHour = 27;
const growthMax = 1.15;

/** The largest of the last half of the steady hours beside the largest of the hours before. */
function growthOf(values: readonly number[], onlySteady = false): number {
  const steadyHours = Math.max(2, Math.min(values.length, values.length - steadyFromHour + 1));
  const last = Math.floor(steadyHours / 2);
  const before = values.slice(onlySteady ? -steadyHours : 0, -last);
  return Math.max(...values.slice(-last)) / Math.max(1, ...before);
}

export function dayTable({ hours }: DayResult): string {
  const rows = dayTables.map((name) => {
    const samples = hours.map((hour) => hour[name]);
    const { rows: count, deadRows } = samples.at(-1)!;
    const ratio = growthOf(samples.map(bytesOf));
    return [
      name,
      ...[count, deadRows].map(String),
      (Math.max(...samples.map(bytesOf)) / 1024).toFixed(0),
      `${ratio.toFixed(2)} ×, ${ratio <= growthMax ? 'flat' : 'grows'}`,
    ];
  });
  const head = ['', 'rows', 'dead rows', 'largest with indexes, kB', 'last hours'];
  return [...table(head, rows), ''].join('\n');
}

export function dayPart(
  { day, measuredOn, machine }: SavedResult,
  save: (name: string, svg: string) => void,
): string {
  const { hours, tasksPerHour } = day!;
  const title = `Size of tables with their indexes over ${hours.length} hours, kB`;
  const lines = dayTables.map((name) => ({
    ...{ label: name, values: hours.map((hour) => bytesOf(hour[name]) / 1024) },
  }));
  const steadyCounts = hours.map((hour) => bytesOf(hour.task_counts));
  save('day', lineChart(lines, { title }));
  return `## ${hours.length} hours of steady load

${tasksPerHour} tasks per hour are created, settled, notified, and expire after a day. An hour
takes a few seconds: then the clock of the database jumps to the next one. Sweeps run once per hour,
and autovacuum looks once per second. Rows and dead rows are those at the end.

The last column compares the largest size in the last hours with the largest in all hours before.
From hour ${steadyFromHour} on as many rows are deleted as are added. Tables of counts are emptied
by every sweep, so their size goes up and down: compared only with the steady hours before,
\`task_counts\` of this run is ${growthOf(steadyCounts, true).toFixed(2)} × as large.

${dayTable(day!)}
![${title}](performance/day.svg)

Measured on ${measuredOn}: ${machine}.
`;
}
