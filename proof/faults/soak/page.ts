/** The page about a soak run, `docs/soak.md`: what was done, what was found, and every chart. */
import { cpus, loadavg, totalmem } from 'node:os';
import type { Engine } from '../installation.ts';
import { spanOfRise } from './growth.ts';
import type { Judged } from './judgement.ts';
import type { Plot } from './plots.ts';
import { shownValue } from './shown-value.ts';
import type { SoakOutcome } from './soak.ts';

export type PageParts = {
  readonly outcome: SoakOutcome;
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

export function pageOf({ outcome, plots, minutes, perSecond, seed, engine }: PageParts): string {
  const { findings, judged, counts, resultSeconds } = outcome;
  const { lost, doubled, unfinished, broken } = findings;
  const words = engine === 'embedded' ? ' --engine embedded' : '';
  const command = `npm run soak -- --minutes ${minutes} --rate ${perSecond} --seed ${seed}${words}`;
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`;
  const load = loadavg()[2]!.toFixed(1);
  const memory = Math.round(totalmem() / 1024 ** 3);
  const rows = Object.entries(counts).map(([what, count]) => `| ${what} | ${shown(count)} |`);
  const ends = { lost, 'generated twice': doubled, 'not final': unfinished, 'not right': broken };
  const endRows = Object.entries(ends).map(([what, those]) => `| ${what} | ${those.length} |`);
  const title = engine === 'embedded' ? 'Soak on the embedded engine' : 'Soak';
  return `# ${title}

Made by \`${command}\` on ${machine}, ${memory} GB, Node ${process.version}.
The load of the machine, ours included, was ${load} at the end (15 minutes).

${worldOf(engine)}

${perSecond} tasks are created a second in six accounts. Some are meant to fail, some are cancelled,
some bring a picture; they are looked at, waited for, listed and downloaded. Receivers of webhook
calls are good, slow, flaky or failing. The provider calls back, and loses one answer in
twenty-five. Results expire after ${resultSeconds} s. A person reads the dashboard, others sign in
and never sign out, keys come and go, and the audit runs in between. All of this shares the machine
with the service: trust the shapes more than the times.

${outcomeOf(outcome)}

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
${leakOf(outcome)}

| series | second fifth | last fifth | may rise by | verdict |
|---|--:|--:|--:|---|
${judged.map(rowOf).join('\n')}

## Charts

${plots.map(({ file, alt }) => `![${alt}](${soakNames[engine]}/${file})`).join('\n\n')}
`;
}

const worldOf = (engine: Engine): string =>
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
function leakOf({ judged, findings }: SoakOutcome): string {
  const memory = judged.find(({ what }) => what === 'resident memory');
  if (!memory || memory.verdict === 'too few points') return '';
  const bytes = memory.allowed / (findings.acknowledged * spanOfRise);
  const least = shownValue(bytes, 'bytes');
  return `A leak of ${least} or more for each task would show in the resident memory of this run.`;
}

function outcomeOf({ violations, judged }: SoakOutcome): string {
  if (violations.length === 0) {
    const growth = judged.length > 0 ? 'No growth that does not end.' : 'Too short to see growth.';
    return `**No violation. ${growth}**`;
  }
  const list = violations.map((one) => `- ${one}`).join('\n');
  return `**${violations.length} violations:**\n\n${list}`;
}

function rowOf({ what, unit, before, after, allowed, verdict }: Judged): string {
  const known = verdict !== 'too few points';
  const cells = [before, after, allowed].map((value) => (known ? shownValue(value, unit) : ''));
  return `| ${what} | ${cells.join(' | ')} | ${verdict} |`;
}

const shown = (count: number): string => count.toLocaleString('en');
