/**
 * Looks a start up whose answer was lost, in ModelArk's list of tasks. `absent` is a promise that a
 * second start makes no second generation, so it is given only after reading the whole list of that
 * time, late enough, and without meeting a task that could be ours.
 */
import type { FindAnswer } from '../provider.ts';
import type { Reading } from '../toolkit/reads.ts';
import { upstreamSeconds } from '../toolkit/upstream-clock.ts';
import { readPage, type UpstreamTask } from './wire.ts';

const pageSize = 500; // The upstream's own maximum, for pages as well.
const pagesMax = 60; // At one page a second; beyond it the answer is `unknown`.
/** Clocks of the upstream's own machines need not agree. */
const toleranceSeconds = 300;

export type FindOptions = {
  /** One page of the list. */
  readonly list: (query: URLSearchParams) => Promise<Reading>;
  /** The longest a create call lasts on our side. */
  readonly createSeconds: number;
  readonly settleSeconds: number;
};

export type FindRequest = {
  readonly safetyIdentifier: string;
  readonly model: string;
  readonly secondsSinceStart: number;
};

export function createFind(options: FindOptions) {
  return async (request: FindRequest): Promise<FindAnswer> => {
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
  options: FindOptions,
  request: FindRequest,
  filter: Readonly<Record<string, string>>,
): Promise<FindAnswer | 'not allowed'> {
  let seen = 0;
  let totalBefore = 0;
  // By the first page: reading the others takes time, and ours is where it was.
  let startedSeconds: number | undefined;
  for (let pageNumber = 1; pageNumber <= pagesMax; pageNumber++) {
    const query = { page_num: `${pageNumber}`, page_size: `${pageSize}` };
    const reading = await options.list(new URLSearchParams({ ...query, ...filter }));
    if (reading.kind === 'busy') return unknown('too many look-ups are waiting');
    if (reading.kind !== 'answered') return unknown(reading.detail);
    const page = reading.status === 200 ? readPage(reading.json) : undefined;
    if (notAllowed.includes(reading.status)) return 'not allowed';
    if (!page) return unknown(`the list cannot be read: HTTP ${reading.status}`);

    const ours = page.tasks.find((task) => task.safetyIdentifier === request.safetyIdentifier);
    if (ours?.id) return { outcome: 'found', operation: ours.id };

    startedSeconds ??= upstreamSeconds(reading) - request.secondsSinceStart;
    const from = startedSeconds - toleranceSeconds;
    const to = startedSeconds + options.createSeconds + toleranceSeconds;
    if (page.tasks.some((task) => couldBeOurs(task, { from, to }))) {
      return unknown('the list holds a task of that time without an identifier');
    }
    // Tasks that leave the list move the later ones forward, past the page we are about to read.
    if (page.total < totalBefore) return unknown('the list changed while it was read');
    totalBefore = page.total;
    seen += page.tasks.length;
    if (seen >= page.total || endsBefore(page.tasks, from)) {
      return request.secondsSinceStart >= options.settleSeconds
        ? { outcome: 'absent' }
        : unknown('not in the list, but it may still appear');
    }
    if (page.tasks.length === 0) return unknown('the list ends before its total');
  }
  return unknown(`not among the ${seen} tasks that were looked at`);
}

const unknown = (detail: string): FindAnswer => ({ outcome: 'unknown', detail });

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
