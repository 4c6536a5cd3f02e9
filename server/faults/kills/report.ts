/** What a fault run found, as tables a person can read and a page can hold. */
import { cpus, loadavg } from 'node:os';
import { breachesOf } from '../proof.ts';
import type { Verdict } from './trial.ts';

/** Work must go on within this long after a kill; what took longer counts as a violation. */
export const resumeSecondsMax = 20;

const columns = [
  'times',
  'acknowledged',
  'lost',
  'doubled upstream',
  'not final',
  'invariants broken',
  'median s to resume',
  'max s to resume',
] as const;

/** The same with where it was seen, and with what took too long. */
export function violationsOf(verdicts: readonly Verdict[]): string[] {
  return verdicts.flatMap((verdict) => {
    const { engine, moment, resumedSeconds } = verdict;
    const slow = `resumed after ${resumedSeconds.toFixed(1)} s`;
    const isSlow = resumedSeconds > resumeSecondsMax;
    return [...breachesOf(verdict), ...(isSlow ? [slow] : [])].map(
      (what) => `${engine}, ${moment}: ${what}`,
    );
  });
}

export function tableOf(title: string, verdicts: readonly Verdict[]): string {
  const byMoment = Map.groupBy(verdicts, ({ moment }) => moment);
  const rows = [...byMoment].map(([moment, those]) => row(moment, those));
  if (rows.length > 1) rows.push(row('**all**', verdicts));
  const head = `| ${title} | ${columns.join(' | ')} |\n|---|${columns.map(() => '--:|').join('')}`;
  return `${head}\n${rows.join('\n')}\n`;
}

function row(name: string, verdicts: readonly Verdict[]): string {
  const sum = (count: (verdict: Verdict) => number) =>
    verdicts.reduce((total, verdict) => total + count(verdict), 0);
  const seconds = verdicts.map((one) => one.resumedSeconds).sort((a, b) => a - b);
  const cells = [
    verdicts.length,
    sum(({ acknowledged }) => acknowledged),
    sum(({ lost }) => lost.length),
    sum(({ doubled }) => doubled.length),
    sum(({ unfinished }) => unfinished.length),
    sum(({ broken }) => broken.length),
    (seconds[Math.floor(seconds.length / 2)] ?? 0).toFixed(1),
    (seconds.at(-1) ?? 0).toFixed(1),
  ];
  return `| ${name} | ${cells.join(' | ')} |`;
}

export function pageOf(parts: {
  readonly kills: number;
  readonly minutes: number;
  readonly tables: readonly string[];
  readonly violations: readonly string[];
}): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`;
  const { violations } = parts;
  const outcome =
    violations.length === 0
      ? 'No violation.'
      : `${violations.length} violations:\n\n${violations.map((one) => `- ${one}`).join('\n')}`;
  const command = `npm run faults -- --kills ${parts.kills}`;
  const minutes = parts.minutes.toFixed(0);
  const load = loadavg()[2]!.toFixed(1);
  return `# Faults

Made by \`${command}\` in ${minutes} minutes on ${machine}, Node ${process.version}. The load of
the machine, ours included, was ${load} at the end (15 minutes); times suffer beyond its cores.

Clients create tasks all the time; a create that gets no answer is repeated with its
Idempotency-Key. The process is killed with \`kill -9\` at a named point of a task's life
(\`server/crash-point.ts\`), at a random moment, or while it starts, and is started again. Then
every task that was ever acknowledged must exist, be final in the way it was meant to, have been
generated once at the provider and told to its receiver, and the audit and the balance must be
right. Some answers of the provider are lost besides.

To resume means: it serves again, and nobody holds the dead process's work any more. On PostgreSQL
that is the end of a lease of 15 s, since another process cannot know that its holder is dead; work
that nobody held goes on at once.

${outcome}

${parts.tables.join('\n')}`;
}
