/** The page about a soak run, `docs/soak.md`: what was done, what was found, and every chart. */
import { cpus, loadavg, totalmem } from 'node:os';
import type { Engine } from '../installation.ts';
import { formatValue } from './format-value.ts';
import { spanOfRise } from './growth.ts';
import type { GrowthCheck } from './growth-checks.ts';
import type { Plot } from './plots.ts';
import type { SoakResult } from './soak.ts';

export type PageParts = {
  readonly result: SoakResult;
  readonly plots: readonly Plot[];
  readonly minutes: number;
  readonly perSecond: number;
  readonly seed: number;
  readonly engine: Engine;
};

/** Of the page, and of the folder with its charts. */
export const soakNames = {
  postgres: 'soak',
  embedded: 'soak-embedded',
} as const satisfies Record<Engine, string>;

export function pageOf({ result, plots, minutes, perSecond, seed, engine }: PageParts): string {
  const { findings, growthChecks, counts, resultSeconds } = result;
  const { lost, doubled, unfinished, broken } = findings;
  const engineFlag = engine === 'embedded' ? ' --engine embedded' : '';
  const flags = `--minutes ${minutes} --rate ${perSecond} --seed ${seed}${engineFlag}`;
  const command = `npm run soak -- ${flags}`;
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`;
  const load = loadavg()[2]!.toFixed(1);
  const memory = Math.round(totalmem() / 1024 ** 3);
  const rows = Object.entries(counts).map(([what, count]) => `| ${what} | ${shown(count)} |`);
  const ends = { lost, 'generated twice': doubled, 'not final': unfinished, 'not right': broken };
  const endRows = Object.entries(ends).map(([what, group]) => `| ${what} | ${group.length} |`);
  const title = engine === 'embedded' ? 'Soak on the embedded engine' : 'Soak';
  return `# ${title}

Made by \`${command}\` on ${machine}, ${memory} GB, Node ${process.version}.
The load of the machine, ours included, was ${load} at the end (15 minutes).

${environmentText(engine)}

${perSecond} tasks are created a second in six accounts. Some are meant to fail, some are cancelled,
some bring a picture; they are looked at, waited for, listed and downloaded. Receivers of webhook
calls are good, slow, flaky or failing. The provider calls back, and loses one answer in
twenty-five. Results expire after ${resultSeconds} s. A person reads the dashboard, others sign in
and never sign out, keys come and go, and the audit runs in between. All of this shares the machine
with the service: trust the shapes more than the times.

${resultText(result)}

| | |
|---|--:|
${rows.join('\n')}

At the end every task that was acknowledged is asked for and held against what was planned for it,
the calls against what their receivers heard, the balances against what was completed:

| acknowledged tasks | |
|---|--:|
${endRows.join('\n')}

## Growth

A series grows without end when the median of the last fifth of the run is above that of the second
fifth by more than is allowed, and the second half still rises at half that speed or more (Theil and
Sen's slope). It settles when it rose and no longer does. The first fifth is for warming up. What is
kept for ever, one row or more a task, is judged by its bytes a task; times to answer are judged
in health checks of the same moment: one question to the database, whatever it
holds.${agedOf(engine)}
${leakOf(result)}

| series | second fifth | last fifth | may rise by | verdict |
|---|--:|--:|--:|---|
${growthChecks.map(rowOf).join('\n')}

## Charts

${plots.map(({ file, alt }) => `![${alt}](${soakNames[engine]}/${file})`).join('\n\n')}
`;
}

const environmentText = (engine: Engine): string =>
  engine === 'postgres'
    ? `Two processes of the service on one PostgreSQL with its durable settings: one, called steady,
lives through the whole run; the other, called restless, is killed with \`kill -9\` or stopped in
order, and started again. The first process of the database is killed with \`kill -9\`, too.`
    : `One process of the service on the embedded engine. In the first half it is killed with
\`kill -9\` or stopped in order, and started again; in the second it is left to grow old.`;

const agedOf = (engine: Engine): string =>
  engine === 'postgres'
    ? ` A run is shorter
than the day for which idempotency keys are remembered and the week that a session may rest, so the
database is told that they are older than they are.`
    : '';

/** What the rule can see at all: of a leak that is smaller, the run says nothing. */
function leakOf({ growthChecks, findings }: SoakResult): string {
  const memory = growthChecks.find(({ what }) => what === 'resident memory');
  if (!memory || memory.verdict === 'too few points') return '';
  const bytes = memory.allowed / (findings.acknowledged * spanOfRise);
  const least = formatValue(bytes, 'bytes');
  return `A leak of ${least} or more for each task would show in the resident memory of this run.`;
}

function resultText({ violations, growthChecks }: SoakResult): string {
  if (violations.length === 0) {
    const growth =
      growthChecks.length > 0 ? 'No growth that does not end.' : 'Too short to see growth.';
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
