/**
 * Everything at a running service at once, several requests at a time: by the document, by the
 * rules of the contract, and wildly. Each lane has a world of its own, so that none signs out
 * another's people.
 */
import { type Client, makeAccount, testAdminToken } from '../../kit/service.ts';
import { fetchDocument } from './document.ts';
import { FuzzEnvironment } from './environment.ts';
import { openMedia } from './media.ts';
import { fuzzSockets, type RawFuzzOptions } from './raw-sockets.ts';
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
  /** Besides: all that is written down one by one, which is some 27,000 requests. */
  readonly withEveryMutation?: boolean;
  readonly signal?: AbortSignal;
};

const ruleShare = 0.25;
const unguidedShare = 0.05;
/** So that no two lanes ask the same. */
const seedStep = 1_000_003;

export async function fuzzRequests(options: FuzzRunOptions): Promise<FuzzTally> {
  const { url, admin, runs, seed, workers, withEveryMutation, signal } = options;
  const media = await openMedia();
  const sender = new Sender(url);
  const tally = newTally();
  try {
    const document = await fetchDocument(url);
    const { id: accountId, key } = await makeAccount(url, admin);
    const poor = { accountId, key };
    const runWorker = async (worker: number) => {
      const env = await FuzzEnvironment.open(
        { url, admin },
        { callbackUrl: `${media.origin}/hook` },
      );
      const part = (share: number): FuzzOptions => ({
        document,
        env,
        sender,
        tally,
        runs: portion(Math.round(runs * share), { worker, workers }),
        seed: seed + worker * seedStep,
        ...(signal ? { signal } : {}),
      });
      await fuzzByRules({ ...part(ruleShare), media, poor });
      await fuzzUnguided(part(unguidedShare));
      await fuzzByDocument(part(1 - ruleShare - unguidedShare));
      if (withEveryMutation) await fuzzEveryMutation(part(0), (nth) => nth % workers === worker);
    };
    await Promise.all(Array.from({ length: workers }, (_, worker) => runWorker(worker)));
    if (!signal?.aborted && tally.violations.length === 0) {
      const never = document.operations.filter(({ id }) => !tally.responses.has(id));
      tally.violations.push(...never.map(({ id }) => `nobody asked for ${id}`));
    }
    return tally;
  } finally {
    sender.close();
    await media.close();
  }
}

/** What of a whole falls to one lane: all of them together come to exactly the whole. */
const portion = (whole: number, { worker, workers }: { worker: number; workers: number }): number =>
  Math.floor((whole * (worker + 1)) / workers) - Math.floor((whole * worker) / workers);

/** Balances that tell whose answer it is. */
const balances = { own: 111, bystander: 222, hidden: 333 };

export async function rawFuzzOptions(
  options: FuzzRunOptions,
  tally: FuzzTally,
): Promise<RawFuzzOptions> {
  const { url, admin } = options;
  const own = await makeAccount(url, admin, { live: balances.own });
  const bystander = await makeAccount(url, admin, { live: balances.bystander });
  const hidden = await makeAccount(url, admin, { live: balances.hidden });
  return {
    url,
    parts: {
      key: own.key,
      hiddenKey: hidden.key,
      accountId: own.id,
      adminToken: testAdminToken,
    },
    own: balances.own,
    bystander: { sender: new Sender(url), key: bystander.key, balance: balances.bystander },
    tally,
    runs: options.runs,
    seed: options.seed,
    ...(options.signal ? { signal: options.signal } : {}),
  };
}

export async function fuzzConnections(raw: RawFuzzOptions, workers: number): Promise<void> {
  await Promise.all(
    Array.from({ length: workers }, (_, worker) =>
      fuzzSockets({
        ...raw,
        runs: portion(raw.runs, { worker, workers }),
        seed: raw.seed + worker * seedStep,
      }),
    ),
  );
}
