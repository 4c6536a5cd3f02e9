/**
 * Looks a start up whose answer was lost, in the account's list of predictions. Our reference is in
 * the address we gave for callbacks, which a prediction shows again. `absent` is a promise that a
 * second start makes no second video: it is given only after reading back past the start, late
 * enough, and when no prediction of that time could be ours without showing it.
 */
import type { FindResult } from '../provider.ts';
import { upstreamSeconds } from '../toolkit/response-time.ts';
import type { ReplicateCalls } from './calls.ts';
import { hasReference, type Prediction, readPage, readPrediction } from './wire.ts';

/** Pages of a hundred: ten minutes of an account that creates as fast as it may. */
const pagesMax = 60;
/** Looked at one by one, because a list may leave out what a prediction itself shows. */
const candidatesMax = 5;
/** Clocks of the upstream's own machines need not agree. */
const toleranceSeconds = 60;
/** Enough to tell two prompts apart, wherever a long one may be cut. */
const promptCharacters = 500;

export type ReplicateFindOptions = {
  readonly calls: Pick<ReplicateCalls, 'list' | 'get'>;
  /** How long after a start its prediction may still appear. */
  readonly settleSeconds: number;
};

export type ReplicateFindRequest = {
  readonly reference: string;
  /** What was sent, and under which name. */
  readonly prompt: { readonly name: string; readonly text: string };
  readonly secondsSinceStart: number;
};

type PageScan = {
  /** When ours was started, by the upstream's clock. */
  readonly startedSeconds: number;
  /** Unmarked predictions of that time. */
  readonly candidates: readonly string[];
  readonly cursor: string | undefined;
  /** It reaches back to before our start. */
  readonly reachesStart: boolean;
};

type TimeWindow = { readonly from: number; readonly to: number };

export function createFind(options: ReplicateFindOptions) {
  return async (request: ReplicateFindRequest): Promise<FindResult> => {
    const candidates: string[] = [];
    let cursor: string | undefined;
    // By the first page: reading the others takes time, and ours is where it was.
    let startedSeconds: number | undefined;
    for (let page = 1; page <= pagesMax; page++) {
      const scan = await scanPage(options, request, { cursor, startedSeconds });
      if ('outcome' in scan) return scan;
      startedSeconds = scan.startedSeconds;
      candidates.push(...scan.candidates);
      cursor = scan.cursor;
      if (cursor === undefined || scan.reachesStart) {
        return (
          (await findAmongCandidates(options, request, candidates)) ??
          absentOrUnknown(options, request)
        );
      }
    }
    return unknown(`not among the newest ${pagesMax} pages`);
  };
}

/** One page: an answer where it settles the question, or what it adds to it. */
async function scanPage(
  { calls, settleSeconds }: ReplicateFindOptions,
  request: ReplicateFindRequest,
  { cursor, startedSeconds }: { cursor: string | undefined; startedSeconds: number | undefined },
): Promise<FindResult | PageScan> {
  const result = await calls.list(cursor);
  if (result.kind === 'busy') return unknown('too many look-ups are waiting');
  if (result.kind !== 'answered') return unknown(result.detail);
  const page = result.status === 200 ? readPage(result.json) : undefined;
  if (!page) return unknown(`the list cannot be read: HTTP ${result.status}`);
  const ours = page.predictions.find(({ webhook }) => hasReference(webhook, request.reference));
  if (ours?.id) return { outcome: 'found', operation: ours.id };
  const started = startedSeconds ?? upstreamSeconds(result) - request.secondsSinceStart;
  const window = {
    from: started - toleranceSeconds,
    to: started + settleSeconds + toleranceSeconds,
  };
  const candidates = page.predictions.filter((one) => couldBeOurs(one, request, window));
  if (candidates.some(({ id }) => id === undefined)) return unknown('the list shows no ids');
  return {
    startedSeconds: started,
    candidates: candidates.map(({ id }) => id!),
    cursor: page.cursor,
    reachesStart: endsBefore(page.predictions, window.from),
  };
}

/** Not where it shows another's mark, is of another time, or has another text. */
function couldBeOurs(
  one: Prediction,
  { prompt }: ReplicateFindRequest,
  { from, to }: TimeWindow,
): boolean {
  if (one.webhook !== undefined) return false;
  const created = one.createdSeconds ?? from;
  if (created < from || created > to) return false;
  const shownPrompt = one.prompt(prompt.name);
  return shownPrompt === undefined || promptStart(shownPrompt) === promptStart(prompt.text);
}

/** Whatever is done to white space or composed letters on the way, it is the same text. */
const promptStart = (text: string): string =>
  text.normalize('NFKC').replace(/\s+/g, ' ').trim().slice(0, promptCharacters);

/** Null when each shows itself that it is another's. */
async function findAmongCandidates(
  { calls }: ReplicateFindOptions,
  { reference }: ReplicateFindRequest,
  candidates: readonly string[],
): Promise<FindResult | null> {
  if (candidates.length > candidatesMax) return unknown('too many predictions could be ours');
  for (const id of candidates) {
    const result = await calls.get(id);
    const isSuccess = result.kind === 'answered' && result.status === 200;
    const webhook = isSuccess ? readPrediction(result.json)?.webhook : undefined;
    if (hasReference(webhook, reference)) return { outcome: 'found', operation: id };
    if (webhook === undefined) return unknown(`the prediction ${id} may be ours: it has no mark`);
  }
  return null;
}

function absentOrUnknown(
  { settleSeconds }: ReplicateFindOptions,
  { secondsSinceStart }: ReplicateFindRequest,
): FindResult {
  return secondsSinceStart >= settleSeconds
    ? { outcome: 'absent' }
    : unknown('not in the list, but it may still appear');
}

const unknown = (detail: string): FindResult => ({ outcome: 'unknown', detail });

/** Newest first is believed only of a page that shows it. */
function endsBefore(predictions: readonly Prediction[], seconds: number): boolean {
  const created = predictions.map(({ createdSeconds }) => createdSeconds ?? Infinity);
  const newestFirst = created.every((value, index) => index === 0 || value <= created[index - 1]!);
  return newestFirst && created.length > 0 && created.at(-1)! < seconds;
}
