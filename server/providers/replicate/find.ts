/**
 * Finds a start whose response was lost in the account's list of predictions, by the reference in
 * its callback URL. Returns `absent`, which allows a second start, only after reading back past the
 * start, late enough, and when no prediction of that time could be the lost one.
 */
import type { FindResult } from '../provider.ts';
import { absentOnceSettled, endsBefore, readList, unknownFind } from '../toolkit/find-result.ts';
import { upstreamSeconds } from '../toolkit/response-values.ts';
import type { ReplicateCalls } from './calls.ts';
import { hasReference, type Prediction, readPage, readPrediction } from './wire.ts';

/** Pages of 100: ten minutes of an account that creates predictions at its limit. */
const pagesMax = 60;
/** Read one by one, because a list may omit fields that a single prediction has. */
const candidatesMax = 5;
/** For clock differences between the upstream's machines. */
const toleranceSeconds = 60;
/** Enough to distinguish prompts, and short enough for any truncation. */
const promptCharacters = 500;

type FindOptions = {
  readonly calls: Pick<ReplicateCalls, 'list' | 'get'>;
  /** How long after a start its prediction may still appear. */
  readonly settleSeconds: number;
};

type FindRequest = {
  readonly reference: string;
  /** The prompt as sent, and the name of its input. */
  readonly prompt: { readonly name: string; readonly text: string };
  readonly secondsSinceStart: number;
};

type PageScan = {
  /** The time of the start by the upstream's clock. */
  readonly startedSeconds: number;
  /** Predictions of that time without a callback URL. */
  readonly candidates: readonly string[];
  readonly cursor: string | undefined;
  /** The page reaches back before the start. */
  readonly reachesStart: boolean;
};

type TimeWindow = { readonly from: number; readonly to: number };

export function createFind(options: FindOptions) {
  return async (request: FindRequest): Promise<FindResult> => {
    const candidates: string[] = [];
    let cursor: string | undefined;
    // From the first page: reading the others takes time.
    let startedSeconds: number | undefined;
    for (let page = 1; page <= pagesMax; page++) {
      const scan = await scanPage(options, request, { cursor, startedSeconds });
      if ('outcome' in scan) return scan;
      startedSeconds = scan.startedSeconds;
      candidates.push(...scan.candidates);
      cursor = scan.cursor;
      if (cursor === undefined || scan.reachesStart) {
        const found = await findAmongCandidates(options, request, candidates);
        return found ?? absentOnceSettled({ ...request, ...options });
      }
    }
    return unknownFind(`not among the newest ${pagesMax} pages`);
  };
}

/** Returns a result when the page decides, or what it contributes. */
async function scanPage(
  { calls, settleSeconds }: FindOptions,
  request: FindRequest,
  { cursor, startedSeconds }: { cursor: string | undefined; startedSeconds: number | undefined },
): Promise<FindResult | PageScan> {
  const read = readList(await calls.list(cursor), readPage);
  if ('outcome' in read) return read;
  const { predictions, cursor: next } = read.list;
  const ours = predictions.find(({ webhook }) => hasReference(webhook, request.reference));
  if (ours?.id) return { outcome: 'found', operation: ours.id };
  const started = startedSeconds ?? upstreamSeconds(read.response) - request.secondsSinceStart;
  const window = {
    from: started - toleranceSeconds,
    to: started + settleSeconds + toleranceSeconds,
  };
  const candidates = predictions.filter((one) => couldBeOurs(one, request, window));
  if (candidates.some(({ id }) => id === undefined)) return unknownFind('the list has no ids');
  return {
    startedSeconds: started,
    candidates: candidates.map(({ id }) => id!),
    cursor: next,
    reachesStart: endsBefore(predictions, window.from),
  };
}

/** False for a prediction with another callback URL, time or prompt. */
function couldBeOurs(one: Prediction, { prompt }: FindRequest, { from, to }: TimeWindow): boolean {
  if (one.webhook !== undefined) return false;
  const created = one.createdSeconds ?? from;
  if (created < from || created > to) return false;
  const text = one.prompt(prompt.name);
  return text === undefined || promptStart(text) === promptStart(prompt.text);
}

/** Ignores changes to white space and Unicode composition. */
const promptStart = (text: string): string =>
  text.normalize('NFKC').replace(/\s+/g, ' ').trim().slice(0, promptCharacters);

/** Returns null when every candidate has another callback URL. */
async function findAmongCandidates(
  { calls }: FindOptions,
  { reference }: FindRequest,
  candidates: readonly string[],
): Promise<FindResult | null> {
  if (candidates.length > candidatesMax) return unknownFind('too many predictions could be ours');
  for (const id of candidates) {
    const result = await calls.get(id);
    const isRead = result.kind === 'response' && result.status === 200;
    const webhook = isRead ? readPrediction(result.json)?.webhook : undefined;
    if (hasReference(webhook, reference)) return { outcome: 'found', operation: id };
    if (webhook === undefined)
      return unknownFind(`prediction ${id} has no callback URL and may be ours`);
  }
  return null;
}
