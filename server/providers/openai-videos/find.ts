/**
 * Finds a start whose response was lost in the list of a server that repeats the reference. Such a
 * server keeps one list in memory of everything it works on. Returns `absent`, which allows a
 * second start, only late enough, and when no listed video could be the lost one.
 */
import type { FindResult } from '../provider.ts';
import { absentOnceSettled, endsBefore, readList, unknownFind } from '../toolkit/find-result.ts';
import { upstreamSeconds } from '../toolkit/response-values.ts';
import type { VideoCalls } from './calls.ts';
import { readVideos, referenceSuffix, type Video } from './wire.ts';

/** The largest page; without a limit the server returns the whole list. */
const newest = '?limit=100&order=desc';
const newestMax = 100;
/** Timestamps are whole seconds of two clocks. */
const toleranceSeconds = 5;

type FindRequest = { readonly reference: string; readonly secondsSinceStart: number };

export function createFind(options: {
  readonly list: VideoCalls['list'];
  /** How long after a start its video may still appear. */
  readonly settleSeconds: number;
}) {
  return async (request: FindRequest): Promise<FindResult> => {
    // The newest videos are almost always enough.
    let scan = await scanList(options.list, newest, request);
    if ('outcome' in scan) return scan;
    const { videos, fromSeconds } = scan;
    if (videos.length >= newestMax && !endsBefore(videos, fromSeconds)) {
      scan = await scanList(options.list, '', request);
    }
    if ('outcome' in scan) return scan;
    if (couldBeUnmarked(scan)) {
      return unknownFind('the list has videos of that time, and none has a reference');
    }
    return absentOnceSettled({ ...request, ...options });
  };
}

type ListScan = {
  readonly videos: readonly Video[];
  /** Older videos cannot be the lost one. */
  readonly fromSeconds: number;
};

/** Returns a result when the list contains the video or cannot be read. */
async function scanList(
  list: VideoCalls['list'],
  query: string,
  { reference, secondsSinceStart }: FindRequest,
): Promise<FindResult | ListScan> {
  const read = readList(await list(query), readVideos);
  if ('outcome' in read) return read;
  const { list: videos, response } = read;
  // By the suffix alone: the model may have been renamed since the start.
  const ours = videos.find((video) => video.model?.endsWith(referenceSuffix(reference)));
  if (ours?.id) return { outcome: 'found', operation: ours.id };
  return { videos, fromSeconds: upstreamSeconds(response) - secondsSinceStart - toleranceSeconds };
}

/**
 * Videos of other programs have no reference. When none has one, the server may not repeat it, and
 * a recent video could be the lost one.
 */
function couldBeUnmarked({ videos, fromSeconds }: ListScan): boolean {
  const isMarked = ({ model }: Video): boolean => model?.includes('#') ?? false;
  const isRecent = ({ createdSeconds }: Video): boolean =>
    (createdSeconds ?? fromSeconds) >= fromSeconds;
  return !videos.some(isMarked) && videos.some(isRecent);
}
