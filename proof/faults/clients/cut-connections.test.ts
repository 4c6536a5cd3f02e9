/**
 * The fault test `clients`: a cutting proxy between each published client and the service. However
 * often a client repeats a request, there is one task and one charge for each intent.
 * Thorough: clients wait seconds before they repeat a request.
 */
import { type FaultTestOptions, faultTest, resultOf } from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { loseNone } from '../upstream.ts';
import { ClientRuns } from './client-runs.ts';
import { cutPlaces } from './cutting-proxy.ts';
import type { ClientDriver } from './driver.ts';
import { drivers } from './drivers.ts';

/** Clients wait seconds before they repeat a request, so many run at once. */
const parallelRuns = 32;

faultTest('makes one task and one charge for each intent, wherever a connection is cut', {
  sample: cutPlaces.length * drivers.length,
  run: (options) => runClients(drivers, options),
});

/** `runs` cuts, evenly over the clients on this machine, and those of each over the places. */
async function runClients(
  clients: readonly ClientDriver[],
  { runs, log, signal }: FaultTestOptions,
) {
  await using installation = await openClientInstallation();
  const [first, second] = await installation.startPair('all');
  const urls = [first.url, second.url];
  const reports = [];
  const missing = clients.map((driver) => driver.missing?.() ?? null);
  const skipped = clients.flatMap(({ name }, at) =>
    missing[at] === null ? [] : [`${name} was skipped: ${missing[at]}`],
  );
  const present = clients.filter((_, at) => missing[at] === null);
  for (const [at, driver] of present.entries()) {
    const account = await installation.account(at);
    const clientRuns = new ClientRuns({ installation, driver, account, urls });
    await inParallel(shareOf(runs, { at, of: present.length }), signal, async (nth) => {
      await clientRuns.runCut(nth);
      if (nth % cutPlaces.length === 0) await clientRuns.runTwice(nth);
    });
    const report = await clientRuns.inspect();
    log(
      `${driver.name}: ${report.intents} intents, ${report.tasks} tasks, ${report.creates} creates`,
    );
    reports.push(report);
  }
  const cuts = reports.reduce((total, report) => total + report.cuts, 0);
  return resultOf(reports, { runs: cuts, notes: skipped });
}

/** The first clients get one more where the runs do not divide evenly. */
const shareOf = (runs: number, { at, of }: { readonly at: number; readonly of: number }): number =>
  Math.floor(runs / of) + (at < runs % of ? 1 : 0);

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
