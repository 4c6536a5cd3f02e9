/**
 * Everything at a running service at once, several requests at a time: by the document, by the
 * rules of the contract, and wildly. Each lane has a world of its own, so that none signs out
 * another's people.
 */
import { type Client, makeAccount, testAdminToken } from '../../kit/service.ts';
import { fetchDocument } from './document.ts';
import { openMedia } from './media.ts';
import { fuzzSockets, type RawOrder } from './raw-sockets.ts';
import { fuzzByRules } from './rule-fuzz.ts';
import {
  type FuzzOrder,
  fuzzByDocument,
  fuzzEveryTwist,
  newTally,
  type Tally,
} from './schema-fuzz.ts';
import { Sender } from './send.ts';
import { fuzzWildly } from './wild-fuzz.ts';
import { World } from './world.ts';

export type BenchOrder = {
  readonly url: string;
  readonly admin: Client;
  readonly runs: number;
  readonly seed: number;
  readonly lanes: number;
  /** Besides: all that is written down one by one, which is some 27,000 requests. */
  readonly withEveryTwist?: boolean;
  readonly signal?: AbortSignal;
};

const ruleShare = 0.25;
const wildShare = 0.05;
/** So that no two lanes ask the same. */
const seedStep = 1_000_003;

export async function fuzzRequests(order: BenchOrder): Promise<Tally> {
  const { url, admin, runs, seed, lanes, withEveryTwist, signal } = order;
  const media = await openMedia();
  const sender = new Sender(url);
  const tally = newTally();
  try {
    const document = await fetchDocument(url);
    const { id: accountId, key } = await makeAccount(url, admin);
    const poor = { accountId, key };
    const runLane = async (lane: number) => {
      const world = await World.open({ url, admin }, { callbackUrl: `${media.origin}/hook` });
      const part = (share: number): FuzzOrder => ({
        document,
        world,
        sender,
        tally,
        runs: portion(Math.round(runs * share), { lane, lanes }),
        seed: seed + lane * seedStep,
        ...(signal ? { signal } : {}),
      });
      await fuzzByRules({ ...part(ruleShare), media, poor });
      await fuzzWildly(part(wildShare));
      await fuzzByDocument(part(1 - ruleShare - wildShare));
      if (withEveryTwist) await fuzzEveryTwist(part(0), (nth) => nth % lanes === lane);
    };
    await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)));
    if (!signal?.aborted && tally.violations.length === 0) {
      const never = document.operations.filter(({ id }) => !tally.answers.has(id));
      tally.violations.push(...never.map(({ id }) => `nobody asked for ${id}`));
    }
    return tally;
  } finally {
    sender.close();
    await media.close();
  }
}

/** What of a whole falls to one lane: all of them together come to exactly the whole. */
const portion = (whole: number, { lane, lanes }: { lane: number; lanes: number }): number =>
  Math.floor((whole * (lane + 1)) / lanes) - Math.floor((whole * lane) / lanes);

/** Balances that tell whose answer it is. */
const balances = { own: 111, victim: 222, hidden: 333 };

export async function rawOrderOf(order: BenchOrder, tally: Tally): Promise<RawOrder> {
  const { url, admin } = order;
  const own = await makeAccount(url, admin, { live: balances.own });
  const victim = await makeAccount(url, admin, { live: balances.victim });
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
    victim: { sender: new Sender(url), key: victim.key, balance: balances.victim },
    tally,
    runs: order.runs,
    seed: order.seed,
    ...(order.signal ? { signal: order.signal } : {}),
  };
}

export async function fuzzConnections(raw: RawOrder, lanes: number): Promise<void> {
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      fuzzSockets({
        ...raw,
        runs: portion(raw.runs, { lane, lanes }),
        seed: raw.seed + lane * seedStep,
      }),
    ),
  );
}
