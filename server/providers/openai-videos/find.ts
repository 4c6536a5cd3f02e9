/**
 * Looks a start up whose answer was lost, in the list of a server that shows our reference again.
 * Such a server has one list, in memory, of all that it works on: what is not in it is not being
 * made. `absent` is given only late enough, and where nothing in the list could be ours unmarked.
 */
import type { FindResult } from '../provider.ts';
import { upstreamSeconds } from '../toolkit/response-time.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { readList, referenceSuffix, type Video } from './wire.ts';

/** The most that a list can be asked for by parts; without a number it comes whole. */
const newest = '?limit=100&order=desc';
const newestMax = 100;
/** Seconds are whole, and told by two clocks. */
const toleranceSeconds = 5;

export type OpenAiVideosFindOptions = {
  readonly list: (query: string) => Promise<UpstreamOutcome>;
  /** How long after a start its video may still appear. */
  readonly settleSeconds: number;
};

export type OpenAiVideosFindRequest = {
  readonly reference: string;
  readonly secondsSinceStart: number;
};

export function createFind({ list, settleSeconds }: OpenAiVideosFindOptions) {
  return async (request: OpenAiVideosFindRequest): Promise<FindResult> => {
    // Almost always the newest tell; the whole list of a busy server is long, but of one moment.
    const scan = await scanList(list, newest, request);
    if ('outcome' in scan) return scan;
    const fullScan = reachesBack(scan.videos, scan.fromSeconds)
      ? scan
      : await scanList(list, '', request);
    return 'outcome' in fullScan ? fullScan : decideAbsence(fullScan, request, settleSeconds);
  };
}

type ListScan = {
  readonly videos: readonly Video[];
  /** Videos from then on could be ours. */
  readonly fromSeconds: number;
};

/** An answer where ours is in the list, or the list cannot be read. */
async function scanList(
  list: OpenAiVideosFindOptions['list'],
  query: string,
  { reference, secondsSinceStart }: OpenAiVideosFindRequest,
): Promise<FindResult | ListScan> {
  const outcome = await list(query);
  if (outcome.kind !== 'answered') return unknown(outcome.detail);
  const videos = outcome.status === 200 ? readList(outcome.json) : undefined;
  if (!videos) return unknown(`the list cannot be read: HTTP ${outcome.status}`);
  // By the mark alone: the model may have another name since it was started.
  const ours = videos.find((video) => video.model?.endsWith(referenceSuffix(reference)));
  if (ours?.id) return { outcome: 'found', operation: ours.id };
  return { videos, fromSeconds: upstreamSeconds(outcome) - secondsSinceStart - toleranceSeconds };
}

function decideAbsence(
  { videos, fromSeconds }: ListScan,
  { secondsSinceStart }: OpenAiVideosFindRequest,
  settleSeconds: number,
): FindResult {
  const isMarked = ({ model }: Video): boolean => model?.includes('#') ?? false;
  const isRecent = ({ createdSeconds }: Video): boolean =>
    (createdSeconds ?? fromSeconds) >= fromSeconds;
  // Videos that another program started carry no mark. Where none carries one, it may be that this
  // server does not show it, and ours is among them.
  if (!videos.some(isMarked) && videos.some(isRecent)) {
    return unknown('the list holds videos of that time, and none is marked');
  }
  return secondsSinceStart >= settleSeconds
    ? { outcome: 'absent' }
    : unknown('not in the list, but it may still appear');
}

const unknown = (detail: string): FindResult => ({ outcome: 'unknown', detail });

/** Whether it is the whole list, or newest first down to before that time. */
function reachesBack(videos: readonly Video[], seconds: number): boolean {
  if (videos.length < newestMax) return true;
  const created = videos.map(({ createdSeconds }) => createdSeconds ?? Number.POSITIVE_INFINITY);
  const newestFirst = created.every((value, index) => index === 0 || value <= created[index - 1]!);
  return newestFirst && created.at(-1)! < seconds;
}
