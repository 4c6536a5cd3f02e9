/**
 * Finds a start whose response was lost in ModelArk's list of tasks. Returns `absent`, which allows
 * a second start, only after reading all tasks of that time, late enough, and when none of them
 * could be the lost one.
 */
import type { FindAccount, FindResult } from '../provider.ts';
import { absentOnceSettled, endsBefore, readList, unknownFind } from '../toolkit/find-result.ts';
import { upstreamSeconds } from '../toolkit/response-values.ts';
import type { ModelArkCalls } from './calls.ts';
import { isMark, markOf, readPage, type UpstreamTask } from './wire.ts';

const pageSize = 500; // The upstream's maximum.
const pagesMax = 60; // At one page per second; a longer list is `unknown`.
/** For clock differences between the upstream's machines. */
const toleranceSeconds = 300;

type FindOptions = {
  readonly list: ModelArkCalls['list'];
  /** The longest duration of a create call. */
  readonly createSeconds: number;
  readonly settleSeconds: number;
};

type FindRequest = FindAccount & {
  readonly reference: string;
  readonly model: string;
  readonly secondsSinceStart: number;
};

export function createFind(options: FindOptions) {
  return async (request: FindRequest): Promise<FindResult> => {
    const found = await search(options, request, { 'filter.model': request.model });
    if (found === 'forbidden') return unknownFind('the API key may not read the list');
    if (found.outcome !== 'absent') return found;
    // The model may have had another id when the task was started. A key that is limited to some
    // models may not list all of them; the filtered list is sufficient then.
    const anywhere = await search(options, request, {});
    return anywhere === 'forbidden' ? found : anywhere;
  };
}

/** Statuses of an unfiltered list for a key that is limited to some models. */
const forbiddenStatuses = [400, 401, 403];

async function search(
  options: FindOptions,
  request: FindRequest,
  filter: Readonly<Record<string, string>>,
): Promise<FindResult | 'forbidden'> {
  const { secondsSinceStart } = request;
  let seenCount = 0;
  let totalBefore = 0;
  // From the first page: reading the others takes time.
  let startedSeconds: number | undefined;
  for (let pageNumber = 1; pageNumber <= pagesMax; pageNumber++) {
    const query = { page_num: `${pageNumber}`, page_size: `${pageSize}` };
    const result = await options.list(new URLSearchParams({ ...query, ...filter }));
    if (result.kind === 'response' && forbiddenStatuses.includes(result.status)) return 'forbidden';
    const read = readList(result, readPage);
    if ('outcome' in read) return read;
    const { total, tasks } = read.list;

    startedSeconds ??= upstreamSeconds(read.response) - secondsSinceStart;
    const from = startedSeconds - toleranceSeconds;
    const to = startedSeconds + options.createSeconds + toleranceSeconds;
    const ours: string[] = [];
    for (const task of tasks) {
      if (!task.id || !isMarked(task, { ...request, from })) continue;
      if (!(await request.belongsToOtherTask(task.id))) ours.push(task.id);
    }
    if (ours.length > 1) return unknownFind('the list has several tasks with this mark');
    if (ours[0] !== undefined) return { outcome: 'found', operation: ours[0] };
    if (tasks.some((task) => couldBeOurs(task, { ...request, from, to }))) {
      return unknownFind('the list has a task of that time without an identifier');
    }
    // When a task leaves the list, later ones move forward, past the page that is read next.
    if (total < totalBefore) return unknownFind('the list changed while it was read');
    totalBefore = total;
    seenCount += tasks.length;
    if (seenCount >= total || isSortedBefore(tasks, from)) {
      return absentOnceSettled({ secondsSinceStart, settleSeconds: options.settleSeconds });
    }
    if (tasks.length === 0) return unknownFind('the list ends before its total');
  }
  return unknownFind(`not among the ${seenCount} newest tasks`);
}

type Mark = Pick<FindRequest, 'reference' | 'endUser'>;

/** Marks are short, so a task that was created before the start is another one. */
function isMarked(
  { safetyIdentifier, expiresAfterSeconds, createdSeconds }: UpstreamTask,
  { reference, endUser, from }: Mark & { readonly from: number },
): boolean {
  const isSame = safetyIdentifier === endUser && expiresAfterSeconds === markOf(reference);
  return isSame && (createdSeconds ?? from) >= from;
}

/**
 * Another program on the account may omit the identifier, and a gateway may drop or change what we
 * send.
 */
function couldBeOurs(
  { id, safetyIdentifier, expiresAfterSeconds, createdSeconds }: UpstreamTask,
  { endUser, from, to }: Mark & { readonly from: number; readonly to: number },
): boolean {
  const isOtherUser = safetyIdentifier !== undefined && safetyIdentifier !== endUser;
  const isOtherMark = safetyIdentifier === endUser && isMark(expiresAfterSeconds ?? 0);
  if (id !== undefined && (isOtherUser || isOtherMark)) return false;
  return (createdSeconds ?? from) >= from && (createdSeconds ?? from) <= to;
}

/** No order is documented, so a page of equal timestamps does not count as newest first. */
const isSortedBefore = (tasks: readonly UpstreamTask[], seconds: number): boolean =>
  endsBefore(tasks, Math.min(tasks.at(0)?.createdSeconds ?? Number.POSITIVE_INFINITY, seconds));
