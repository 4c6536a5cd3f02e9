/**
 * The fault test `clients`: a cutting proxy between each published client and the service. However
 * often a client repeats a request, there is one task and one charge for each intent.
 */
import { type FaultTest, type FaultTestOptions, resultOf } from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { loseNone } from '../upstream.ts';
import { ClientRuns, clientTable } from './client-runs.ts';
import { cutPlaces } from './cutting-proxy.ts';
import type { ClientDriver } from './driver.ts';
import { drivers } from './drivers.ts';

/** Clients wait seconds before they repeat a request, so many run at once. */
const parallelRuns = 16;

export const cutConnections: FaultTest = {
  name: 'clients',
  title: 'connections between published clients and the service are cut, at eight places',
  failures: [40],
  unit: 'cuts',
  runs: 1000,
  run: (options) => runClients(drivers, options),
};

type RunOptions = Pick<FaultTestOptions, 'runs' | 'log' | 'signal'>;

/** `runs` is the number of cuts of each client. */
export async function runClients(
  clients: readonly ClientDriver[],
  { runs, log, signal }: RunOptions,
) {
  await using installation = await openClientInstallation();
  const [first, second] = await installation.startPair('all');
  const urls = [first.url, second.url];
  const reports = [];
  const skipped: string[] = [];
  for (const [at, driver] of clients.entries()) {
    const missing = driver.missing?.() ?? null;
    if (missing !== null) {
      skipped.push(`${driver.name} was skipped: ${missing}`);
      continue;
    }
    const account = await installation.account(at);
    const clientRuns = new ClientRuns({ installation, driver, account, urls });
    await inParallel(runs, signal, async (nth) => {
      await clientRuns.runCut(nth);
      if (nth % cutPlaces.length === 0) await clientRuns.runTwice(nth);
    });
    const report = await clientRuns.inspect();
    log(`${driver.name}: ${report.intents} intents, ${report.tasks} tasks`);
    reports.push(report);
  }
  const cuts = reports.reduce((total, report) => total + report.cuts, 0);
  return resultOf(reports, { runs: cuts, notes: skipped, details: clientTable(reports) });
}

const openClientInstallation = () =>
  Installation.open({
    upstream: {
      lostPercent: loseNone,
      planOf: () => ({ fails: false, generationMs: 0, isNotified: false }),
    },
  });

async function inParallel(
  runs: number,
  signal: AbortSignal,
  run: (nth: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < runs && !signal.aborted) await run(next++);
  };
  await Promise.all(Array.from({ length: parallelRuns }, worker));
}
