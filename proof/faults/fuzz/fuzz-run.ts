/**
 * Runs the fuzzers against a service with several workers. Each worker has an environment of its
 * own, so that none signs out the people of another.
 */
import { type Client, makeAccount, testAdminToken } from '../../kit/service.ts';
import { fetchDocument } from './document.ts';
import { FuzzEnvironment } from './environment.ts';
import { openMedia } from './media.ts';
import { fuzzSockets, holdConnections, type RawFuzzOptions } from './raw-sockets.ts';
import { fuzzByRules } from './rule-fuzz.ts';
import {
  type FuzzOptions,
  type FuzzTally,
  fuzzByDocument,
  fuzzEveryMutation,
  newTally,
} from './schema-fuzz.ts';
import { Sender } from './send.ts';
import { fuzzUnguided } from './unguided-fuzz.ts';

export type FuzzRunOptions = {
  readonly url: string;
  readonly admin: Client;
  readonly runs: number;
  readonly seed: number;
  readonly workers: number;
  /** Also sends every header and body mutation to every operation: about 27,000 requests. */
  readonly withEveryMutation?: boolean;
  readonly signal?: AbortSignal;
};

const ruleShare = 0.25;
const unguidedShare = 0.05;
/** A shorter run need not reach every operation. */
const coverageRunsMin = 4000;
/** Between the seeds of workers, so that no two send the same requests. */
const seedStep = 1_000_003;

export async function fuzzRequests(options: FuzzRunOptions): Promise<FuzzTally> {
  const { url, admin, runs, workers, withEveryMutation, signal } = options;
  const media = await openMedia();
  const sender = new Sender(url);
  const tally = newTally();
  try {
    const document = await fetchDocument(url);
    const { id: accountId, key } = await makeAccount(url, admin);
    await runWorkers(options, async (worker) => {
      const callbackUrl = `${media.origin}/hook`;
      const env = await FuzzEnvironment.open({ url, admin }, { callbackUrl });
      const part = (share: number): FuzzOptions => ({
        ...{ document, env, sender, tally, ...worker },
        runs: portion(Math.round(runs * share), { worker: worker.nth, workers }),
        ...(signal ? { signal } : {}),
      });
      await fuzzByRules({ ...part(ruleShare), media, poor: { accountId, key } });
      await fuzzUnguided(part(unguidedShare));
      await fuzzByDocument(part(1 - ruleShare - unguidedShare));
      if (withEveryMutation) await fuzzEveryMutation(part(0), (at) => at % workers === worker.nth);
    });
    if (!signal?.aborted && tally.violations.length === 0 && runs >= coverageRunsMin) {
      const never = document.operations.filter(({ id }) => !tally.responses.has(id));
      tally.violations.push(...never.map(({ id }) => `no request was sent to ${id}`));
    }
    return tally;
  } finally {
    sender.close();
    await media.close();
  }
}

/** Balances that identify the account of a response. */
const balances = { own: 111, bystander: 222, hidden: 333 };

/** Sends raw bytes, then holds `held` connections open, idle and with dripped bytes. */
export async function fuzzConnections(
  options: FuzzRunOptions & { readonly held: number; readonly drips?: boolean },
): Promise<FuzzTally> {
  const { url, admin, held, drips = true, signal } = options;
  const own = await makeAccount(url, admin, { live: balances.own });
  const bystander = await makeAccount(url, admin, { live: balances.bystander });
  const hidden = await makeAccount(url, admin, { live: balances.hidden });
  const sender = new Sender(url);
  const tally = newTally();
  const raw: RawFuzzOptions = {
    url,
    tally,
    runs: options.runs,
    seed: options.seed,
    own: balances.own,
    bystander: { sender, key: bystander.key, balance: balances.bystander },
    parts: {
      key: own.key,
      hiddenKey: hidden.key,
      accountId: own.id,
      adminToken: testAdminToken,
    },
    ...(signal ? { signal } : {}),
  };
  await runWorkers(options, ({ runs, seed }) => fuzzSockets({ ...raw, runs, seed }));
  for (const isDripping of drips ? [false, true] : [false]) {
    if (signal?.aborted) break;
    const violations = await holdConnections(raw, { count: held, drips: isDripping });
    tally.violations.push(...violations);
    tally.requests += held;
  }
  sender.close();
  return tally;
}

type FuzzWorker = { readonly nth: number; readonly runs: number; readonly seed: number };

async function runWorkers(
  { runs, seed, workers }: FuzzRunOptions,
  run: (worker: FuzzWorker) => Promise<void>,
): Promise<void> {
  const all = Array.from({ length: workers }, (_, nth) =>
    run({ nth, runs: portion(runs, { worker: nth, workers }), seed: seed + nth * seedStep }),
  );
  await Promise.all(all);
}

/** The share of one worker; the shares of all workers add up to the whole. */
const portion = (whole: number, { worker, workers }: { worker: number; workers: number }): number =>
  Math.floor((whole * (worker + 1)) / workers) - Math.floor((whole * worker) / workers);
