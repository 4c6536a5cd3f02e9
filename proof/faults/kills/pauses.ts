/** The service is paused past its lease at every point where going on would do harm. */
import { startPostgres } from '../../kit/postgres.ts';
import { Installation } from '../installation.ts';
import { type Outcome, outcomeOf, type Proof, type ProofOrder } from '../proof.ts';
import { Pauses, pausePoints } from './pause.ts';
import { mishap, notesOf, sentencesOf, tableOf } from './report.ts';
import type { Verdict } from './trial.ts';

export const pauses: Proof = {
  name: 'pauses',
  title: 'a process is paused past its lease (SIGSTOP), and goes on when its work is another’s',
  failures: [4],
  unit: 'pauses',
  runs: 2 * pausePoints.length,
  needs: [],
  async run(order) {
    const server = await startPostgres();
    try {
      return await pauseAlong(order, server.url);
    } finally {
      await server.stop();
    }
  },
};

async function pauseAlong(order: ProofOrder, serverUrl: string): Promise<Outcome> {
  const verdicts: Verdict[] = [];
  const outcome = (): Outcome => ({
    ...outcomeOf(verdicts, {
      runs: verdicts.length,
      violations: verdicts.flatMap(sentencesOf),
      notes: notesOf('postgres', verdicts),
    }),
    details: tableOf('paused past its lease, PostgreSQL', verdicts),
  });
  const installation = await Installation.open({
    engine: 'postgres',
    serverUrl,
    settleSeconds: 5,
  });
  order.signal.addEventListener('abort', () => void installation.close().catch(() => {}));
  const paused = await Pauses.begin(installation);
  while (verdicts.length < order.runs && !order.signal.aborted) {
    const point = pausePoints[verdicts.length % pausePoints.length]!;
    const verdict = await paused
      .run(point)
      .catch((error: Error) => mishap('postgres', `paused: ${point}`, error));
    if (order.signal.aborted) break;
    verdicts.push(verdict);
    order.say(`${verdicts.length}/${order.runs} ${verdict.moment}: ${verdict.acknowledged}`);
    for (const sentence of sentencesOf(verdict)) order.say(`  ✖ ${sentence}`);
    order.keep(outcome());
  }
  if (!order.signal.aborted) await installation.close();
  return outcome();
}
