/**
 * Looks a start up whose answer was lost, in ModelArk's list of tasks. `absent` is a promise that a
 * second start makes no second generation, so it is given only after reading the whole list of that
 * time, late enough, and without meeting a task that could be ours.
 */
import type { FindResult } from '../provider.ts';
import { upstreamSeconds } from '../toolkit/response-time.ts';
import type { ReadResult } from '../toolkit/throttled-get.ts';
import { readPage, type UpstreamTask } from './wire.ts';

const pageSize = 500; // The upstream's own maximum, for pages as well.
const pagesMax = 60; // At one page a second; beyond it the answer is `unknown`.
/** Clocks of the upstream's own machines need not agree. */
const toleranceSeconds = 300;

export type ModelArkFindOptions = {
  /** One page of the list. */
  readonly list: (query: URLSearchParams) => Promise<ReadResult>;
  /** The longest a create call lasts on our side. */
  readonly createSeconds: number;
  readonly settleSeconds: number;
};

export type ModelArkFindRequest = {
  readonly safetyIdentifier: string;
  readonly model: string;
  readonly secondsSinceStart: number;
};

export function createFind(options: ModelArkFindOptions) {
  return async (request: ModelArkFindRequest): Promise<FindResult> => {
    const { model } = request;
    const found = await search(options, request, { 'filter.model': model });
    if (found === 'not allowed') return unknown('the key may not read the list');
    if (found.outcome !== 'absent') return found;
    // The model may have had another id when it was started. A key may be allowed to list its own
    // models only: then the first answer is all there is.
    const anywhere = await search(options, request, {});
    return anywhere === 'not allowed' ? found : anywhere;
  };
}

/** Of the list without a filter, to a key that may use some models only. */
const notAllowed = [400, 401, 403];

async function search(
  options: ModelArkFindOptions,
  request: ModelArkFindRequest,
  filter: Readonly<Record<string, string>>,
): Promise<FindResult | 'not allowed'> {
  let seenCount = 0;
  let totalBefore = 0;
  // By the first page: reading the others takes time, and ours is where it was.
  let startedSeconds: number | undefined;
  for (let pageNumber = 1; pageNumber <= pagesMax; pageNumber++) {
    const query = { page_num: `${pageNumber}`, page_size: `${pageSize}` };
    const result = await options.list(new URLSearchParams({ ...query, ...filter }));
    if (result.kind === 'busy') return unknown('too many look-ups are waiting');
    if (result.kind !== 'answered') return unknown(result.detail);
    const page = result.status === 200 ? readPage(result.json) : undefined;
    if (notAllowed.includes(result.status)) return 'not allowed';
    if (!page) return unknown(`the list cannot be read: HTTP ${result.status}`);

    const ours = page.tasks.find((task) => task.safetyIdentifier === request.safetyIdentifier);
    if (ours?.id) return { outcome: 'found', operation: ours.id };

    startedSeconds ??= upstreamSeconds(result) - request.secondsSinceStart;
    const from = startedSeconds - toleranceSeconds;
    const to = startedSeconds + options.createSeconds + toleranceSeconds;
    if (page.tasks.some((task) => couldBeOurs(task, { from, to }))) {
      return unknown('the list holds a task of that time without an identifier');
    }
    // Tasks that leave the list move the later ones forward, past the page we are about to read.
    if (page.total < totalBefore) return unknown('the list changed while it was read');
    totalBefore = page.total;
    seenCount += page.tasks.length;
    if (seenCount >= page.total || endsBefore(page.tasks, from)) {
      return request.secondsSinceStart >= options.settleSeconds
        ? { outcome: 'absent' }
        : unknown('not in the list, but it may still appear');
    }
    if (page.tasks.length === 0) return unknown('the list ends before its total');
  }
  return unknown(`not among the ${seenCount} tasks that were looked at`);
}

const unknown = (detail: string): FindResult => ({ outcome: 'unknown', detail });

/** Another program on the account may leave the identifier out; so might a gateway, of ours. */
function couldBeOurs(task: UpstreamTask, window: { from: number; to: number }): boolean {
  if (task.safetyIdentifier !== undefined && task.id !== undefined) return false;
  const createdSeconds = task.createdSeconds ?? window.from;
  return createdSeconds >= window.from && createdSeconds <= window.to;
}

/** No order is documented: newest first is believed only of a page that shows it. */
function endsBefore(tasks: readonly UpstreamTask[], seconds: number): boolean {
  const created = tasks.map((task) => task.createdSeconds ?? Number.POSITIVE_INFINITY);
  const newestFirst = created.every((value, index) => index === 0 || value <= created[index - 1]!);
  const [first, last] = [created.at(0), created.at(-1)];
  return (
    newestFirst && first !== undefined && last !== undefined && last < Math.min(first, seconds)
  );
}
