/**
 * `npm run faults -- --kills 200`: kills the service that often, on both engines, and pauses it
 * past its lease. Ends with a table, written to `docs/faults.md` too; any violation is exit code 1.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { elapsedMs } from '../clock.ts';
import { crashPoints } from '../crash-point.ts';
import { startPostgres } from '../testing/postgres.ts';
import { type Engine, Installation } from './installation.ts';
import { Pauses, pausePoints } from './kills/pause.ts';
import { pageOf, tableOf, violationsOf } from './kills/report.ts';
import {
  type Moment,
  moments,
  randomMoment,
  Trials,
  type Verdict,
  whileStarting,
} from './kills/trial.ts';

/**
 * Installations at once, for two cores: more, and what is measured is how they wait for each other.
 * On PostgreSQL most of a trial is the waiting for leases to end.
 */
const lanes = { embedded: 1, postgres: 4 } as const satisfies Record<Engine, number>;
const root = join(import.meta.dirname, '../..');
const say = (line: string) => void process.stdout.write(`${line}\n`);

const killsMax = killsAskedFor();
const server = await startPostgres();
const open = new Set<Installation>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'message', 'disconnect'] as const) {
  process.once(signal, () => void leave(130));
}

const verdicts: Verdict[] = [];
let turn: Promise<unknown> = Promise.resolve();
let leaving: Promise<void> | undefined;
const fromMs = elapsedMs();
const minutesSince = () => (elapsedMs() - fromMs) / 60_000;
const queues: Record<Engine, Moment[]> = {
  embedded: momentsFor(Math.floor(killsMax / 2)),
  postgres: momentsFor(Math.ceil(killsMax / 2)),
};
const stepsMax = killsMax + pausePoints.length;
say(`${killsMax} kills and ${pausePoints.length} pauses`);

await Promise.all([
  ...(['embedded', 'postgres'] as const).flatMap((engine) =>
    Array.from({ length: lanes[engine] }, () => killAlong(engine)),
  ),
  pauseAlong(),
]).catch((error) => {
  // Stopped on request, the trials under way come to nothing: that is no trouble.
  if (!leaving) throw error;
});
await (leaving ?? finish());

function killsAskedFor(): number {
  const { kills } = parseArgs({ options: { kills: { type: 'string', default: '200' } } }).values;
  if (/^[1-9]\d{0,4}$/.test(kills)) return Number(kills);
  throw new Error(`--kills must be a whole number (got ${kills})`);
}

/** Half are at named points, all of them in turn and each once at least; the rest is chance. */
function momentsFor(kills: number): Moment[] {
  const named = Math.min(kills, Math.max(crashPoints.length, Math.floor(kills / 2)));
  const namedBefore = (at: number) => Math.floor((at * named) / kills);
  return Array.from({ length: kills }, (_, at) => {
    const nth = namedBefore(at);
    if (namedBefore(at + 1) > nth) return crashPoints[nth % crashPoints.length]!;
    return (at - nth) % 3 === 2 ? whileStarting : randomMoment;
  });
}

async function killAlong(engine: Engine): Promise<void> {
  while (queues[engine].length > 0 && !leaving) {
    const { installation, trials } = await inTurn(() => prepare(engine));
    for (let healthy = true; healthy; ) {
      const moment = queues[engine].shift();
      const verdict = moment
        ? await trials.run(moment).catch((error: Error) => mishap(engine, moment, error))
        : null;
      if (verdict) tell(verdict);
      // After a violation a fresh installation: one breach is told once, not in every later trial.
      healthy = verdict !== null && violationsOf([verdict]).length === 0;
    }
    if (leaving) return;
    await lookBack(engine, trials);
    open.delete(installation);
    await installation.close();
  }
}

/** A first start is the most work of all: one at a time, or they would slow each other's trials. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work);
  turn = mine.catch(() => {});
  return mine;
}

async function prepare(engine: Engine) {
  if (leaving) throw new Error('stopped on request');
  const installation = await Installation.open({ engine, serverUrl: server.url });
  open.add(installation);
  const trials = new Trials(installation);
  await trials.prepare();
  return { installation, trials };
}

/** What was right after each kill must still be right after all of them. */
async function lookBack(engine: Engine, trials: Trials): Promise<void> {
  const moment = 'all of them, looked at again at the end';
  const found = await trials.lookAtAll().catch((error: Error) => mishap(engine, moment, error));
  const verdict = { engine, moment, resumedSeconds: 0, finalSeconds: 0, ...found };
  const violations = violationsOf([verdict]);
  for (const violation of violations) say(`  ✖ ${violation}`);
  if (violations.length > 0) verdicts.push(verdict);
}

async function pauseAlong(): Promise<void> {
  const options = { engine: 'postgres', serverUrl: server.url, settleSeconds: 5 } as const;
  const installation = await Installation.open(options);
  open.add(installation);
  const pauses = await Pauses.begin(installation);
  for (const point of pausePoints) {
    if (leaving) return;
    tell(
      await pauses
        .run(point)
        .catch((error: Error) => mishap('postgres', `paused: ${point}`, error)),
    );
  }
  open.delete(installation);
  await installation.close();
}

/** A trial that could not be carried out is a violation too. */
function mishap(engine: Engine, moment: string, error: Error): Verdict {
  const nothing = { acknowledged: 0, lost: [], doubled: [], unfinished: [] };
  const broken = [error.message];
  return { engine, moment, resumedSeconds: 0, finalSeconds: 0, ...nothing, broken };
}

function tell(verdict: Verdict): void {
  if (leaving) return;
  verdicts.push(verdict);
  const { engine, moment, acknowledged, resumedSeconds, finalSeconds } = verdict;
  const done = verdicts.length;
  const minutesLeft = (minutesSince() / done) * (stepsMax - done);
  const step = `[${String(done).padStart(String(stepsMax).length)}/${stepsMax}]`;
  const [resumed, final] = [resumedSeconds, finalSeconds].map((seconds) => seconds.toFixed(1));
  say(
    `${step} ${engine}, ${moment}: ${acknowledged} acknowledged, resumed in ${resumed} s, ` +
      `all final in ${final} s; about ${Math.ceil(minutesLeft)} min left`,
  );
  for (const violation of violationsOf([verdict])) say(`  ✖ ${violation}`);
}

async function finish(): Promise<void> {
  const order = (one: Verdict) => moments.indexOf(one.moment as Moment);
  const sorted = verdicts.toSorted((a, b) => order(a) - order(b));
  const isPause = ({ moment }: Verdict) => moment.startsWith('paused');
  const of = (engine: Engine) => sorted.filter((one) => one.engine === engine && !isPause(one));
  const tables = [
    tableOf('killed, embedded engine', of('embedded')),
    tableOf('killed, PostgreSQL', of('postgres')),
    tableOf('paused past its lease, PostgreSQL', sorted.filter(isPause)),
  ];
  const violations = violationsOf(verdicts);
  const page = pageOf({ kills: killsMax, minutes: minutesSince(), tables, violations });
  await mkdir(join(root, 'docs'), { recursive: true });
  await writeFile(join(root, 'docs/faults.md'), page);
  say(`\n${tables.join('\n')}\n${violations.length} violations; written to docs/faults.md`);
  await leave(violations.length > 0 ? 1 : 0);
}

/** Also when stopped on request: processes, databases and folders go with us. */
function leave(code: number): Promise<void> {
  leaving ??= (async () => {
    await Promise.all([...open].map((installation) => installation.close().catch(() => {})));
    await server.stop();
    process.exit(code);
  })();
  return leaving;
}
