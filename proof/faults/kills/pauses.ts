/** The service is paused past its lease at every point where going on would do harm. */
import { startPostgres } from '../../kit/postgres.ts';
import {
  combineFindings,
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
} from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { Pauses, pausePoints } from './pause.ts';
import { errorResult, notesOf, tableOf, trialViolations } from './report.ts';
import type { TrialResult } from './trial.ts';

export const pauses: FaultTest = {
  name: 'pauses',
  title: 'a process is paused past its lease (SIGSTOP), and goes on when its work is another’s',
  failures: [4],
  unit: 'pauses',
  runs: 2 * pausePoints.length,
  requirements: [],
  async run(options) {
    const server = await startPostgres();
    try {
      return await pauseRepeatedly(options, server.url);
    } finally {
      await server.stop();
    }
  },
};

async function pauseRepeatedly(
  options: FaultTestOptions,
  serverUrl: string,
): Promise<FaultTestResult> {
  const results: TrialResult[] = [];
  const currentResult = (): FaultTestResult => ({
    ...combineFindings(results, {
      runs: results.length,
      violations: results.flatMap(trialViolations),
      notes: notesOf('postgres', results),
    }),
    details: tableOf('paused past its lease, PostgreSQL', results),
  });
  const installation = await Installation.open({
    engine: 'postgres',
    serverUrl,
    settleSeconds: 5,
  });
  options.signal.addEventListener('abort', () => void installation.close().catch(() => {}));
  const paused = await Pauses.begin(installation);
  while (results.length < options.runs && !options.signal.aborted) {
    const point = pausePoints[results.length % pausePoints.length]!;
    const result = await paused
      .run(point)
      .catch((error: Error) => errorResult('postgres', `paused: ${point}`, error));
    if (options.signal.aborted) break;
    results.push(result);
    options.log(`${results.length}/${options.runs} ${result.killPoint}: ${result.acknowledged}`);
    for (const violation of trialViolations(result)) options.log(`  ✖ ${violation}`);
    options.saveProgress(currentResult());
  }
  if (!options.signal.aborted) await installation.close();
  return currentResult();
}
