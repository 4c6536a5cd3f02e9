/** Generates the page of a soak run, `docs/soak.md`: the load, the result, and every chart. */
import { cpus, loadavg, totalmem } from 'node:os';
import { spanOfRise } from './growth.ts';
import { formatValue, type GrowthCheck } from './growth-checks.ts';
import type { Plot } from './plots.ts';
import type { SoakResult } from './soak.ts';

export type SoakPageParts = {
  readonly result: SoakResult;
  readonly plots: readonly Plot[];
  readonly minutes: number;
  readonly perSecond: number;
  readonly seed: number;
};

/** The folder with the charts, beside the page. */
export const chartsFolder = 'soak';

export function pageOf({ result, plots, minutes, perSecond, seed }: SoakPageParts): string {
  const { findings, growthChecks, counts, resultSeconds } = result;
  const { lost, doubled, unfinished, broken } = findings;
  const command = `npm run soak -- --minutes ${minutes} --rate ${perSecond} --seed ${seed}`;
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`;
  const load = loadavg()[2]!.toFixed(1);
  const memory = Math.round(totalmem() / 1024 ** 3);
  const rows = Object.entries(counts).map(([what, count]) => `| ${what} | ${shown(count)} |`);
  const ends = { lost, 'generated twice': doubled, 'not final': unfinished, wrong: broken };
  const endRows = Object.entries(ends).map(([what, group]) => `| ${what} | ${group.length} |`);
  return `# Soak

Made by \`${command}\` on ${machine}, ${memory} GB, Node ${process.version}.
The load of the machine, ours included, was ${load} at the end (15 minutes).

Two processes of the service on one PostgreSQL with durable settings: one, called steady, runs for
the whole time; the other, called restless, is killed with \`kill -9\` or stopped, and started
again. The main process of the database is killed with \`kill -9\`, too.

${perSecond} tasks are created per second in six accounts. Some are planned to fail, some are
cancelled, some have an image; they are polled, waited for, listed and downloaded. Webhook receivers
are good, slow, flaky or failing. The provider sends callbacks and loses one response in 25. Results
expire after ${resultSeconds} s. A person reads the dashboard, others sign in and never sign
out, keys are created and revoked, and invariant checks run in between. All of this shares the
machine with the service: trust the shapes more than the durations.

${resultText(result)}

| | |
|---|--:|
${rows.join('\n')}

At the end every acknowledged task is compared with its plan, the webhooks with those received, and
the balances with the completed tasks:

| acknowledged tasks | |
|---|--:|
${endRows.join('\n')}

## Growth

A series grows without end when the median of the last fifth of the run is above that of the second
fifth by more than is allowed, and the second half still rises at half that slope or more (Theil-Sen
estimator). It settles when it rose and no longer does. The first fifth is the warm-up. Tables that
keep rows for ever are checked by their bytes per task; latencies are checked in multiples of a
health check at the same time, which is one query whatever is in the database. A run is shorter than
the lifetime of idempotency keys (a day) and sessions (a week), so their timestamps are set back.
${leakOf(result)}

| series | second fifth | last fifth | may rise by | verdict |
|---|--:|--:|--:|---|
${growthChecks.map(rowOf).join('\n')}

## Charts

${plots.map(({ file, alt }) => `![${alt}](${chartsFolder}/${file})`).join('\n\n')}
`;
}

/** The smallest leak that the rule can detect. */
function leakOf({ growthChecks, findings }: SoakResult): string {
  const memory = growthChecks.find(({ what }) => what === 'resident memory');
  if (!memory || memory.verdict === 'too few points') return '';
  const bytes = memory.allowed / (findings.acknowledged * spanOfRise);
  const least = formatValue(bytes, 'bytes');
  return `A leak of ${least} or more per task would show in the resident memory of this run.`;
}

function resultText({ violations, growthChecks }: SoakResult): string {
  if (violations.length === 0) {
    const growth =
      growthChecks.length > 0 ? 'No growth without end.' : 'Too short to check growth.';
    return `**No violation. ${growth}**`;
  }
  const list = violations.map((one) => `- ${one}`).join('\n');
  return `**${violations.length} violations:**\n\n${list}`;
}

function rowOf({ what, unit, before, after, allowed, verdict }: GrowthCheck): string {
  const known = verdict !== 'too few points';
  const cells = [before, after, allowed].map((value) => (known ? formatValue(value, unit) : ''));
  return `| ${what} | ${cells.join(' | ')} | ${verdict} |`;
}

const shown = (count: number): string => count.toLocaleString('en');
