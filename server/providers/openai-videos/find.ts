/**
 * Looks a start up whose answer was lost, in the list of a server that shows our reference again.
 * Such a server has one list, in memory, of all that it works on: what is not in it is not being
 * made. `absent` is given only late enough, and where nothing in the list could be ours unmarked.
 */
import type { FindAnswer } from '../provider.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { upstreamSeconds } from '../toolkit/upstream-clock.ts';
import { markOf, readList, type Video } from './wire.ts';

/** The most that a list can be asked for by parts; without a number it comes whole. */
const newest = '?limit=100&order=desc';
const newestMax = 100;
/** Seconds are whole, and told by two clocks. */
const toleranceSeconds = 5;

export type FindOptions = {
  readonly list: (query: string) => Promise<UpstreamOutcome>;
  /** How long after a start its video may still appear. */
  readonly settleSeconds: number;
};

export type FindRequest = {
  readonly reference: string;
  readonly secondsSinceStart: number;
};

export function createFind({ list, settleSeconds }: FindOptions) {
  return async (request: FindRequest): Promise<FindAnswer> => {
    // Almost always the newest tell; the whole list of a busy server is long, but of one moment.
    const seen = await look(list, newest, request);
    if ('outcome' in seen) return seen;
    const whole = reachesBack(seen.videos, seen.fromSeconds) ? seen : await look(list, '', request);
    return 'outcome' in whole ? whole : judge(whole, request, settleSeconds);
  };
}

type Seen = {
  readonly videos: readonly Video[];
  /** Videos from then on could be ours. */
  readonly fromSeconds: number;
};

/** An answer where ours is in the list, or the list cannot be read. */
async function look(
  list: FindOptions['list'],
  query: string,
  { reference, secondsSinceStart }: FindRequest,
): Promise<FindAnswer | Seen> {
  const outcome = await list(query);
  if (outcome.kind !== 'answered') return unknown(outcome.detail);
  const videos = outcome.status === 200 ? readList(outcome.json) : undefined;
  if (!videos) return unknown(`the list cannot be read: HTTP ${outcome.status}`);
  // By the mark alone: the model may have another name since it was started.
  const ours = videos.find((video) => video.model?.endsWith(markOf(reference)));
  if (ours?.id) return { outcome: 'found', operation: ours.id };
  return { videos, fromSeconds: upstreamSeconds(outcome) - secondsSinceStart - toleranceSeconds };
}

function judge(
  { videos, fromSeconds }: Seen,
  { secondsSinceStart }: FindRequest,
  settleSeconds: number,
): FindAnswer {
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

const unknown = (detail: string): FindAnswer => ({ outcome: 'unknown', detail });

/** Whether it is the whole list, or newest first down to before that time. */
function reachesBack(videos: readonly Video[], seconds: number): boolean {
  if (videos.length < newestMax) return true;
  const created = videos.map(({ createdSeconds }) => createdSeconds ?? Number.POSITIVE_INFINITY);
  const newestFirst = created.every((value, index) => index === 0 || value <= created[index - 1]!);
  return newestFirst && created.at(-1)! < seconds;
}
