/**
 * Limits the pages of task lists that are read at once, so that one caller never holds all
 * connections to the database: most pages take milliseconds, but filters that match few of many
 * tasks take seconds. Further requests wait briefly.
 */
import { rateLimited } from '@vidgen/contract/api-error.ts';
import { createKeyedSemaphore } from '../../egress/keyed-semaphore.ts';
import { startDeadline } from '../../process/clock.ts';
import { enforceCallerLimit } from './enforce-rate-limit.ts';
import type { ApiRequest, ApiServices } from './handler.ts';
import { WaitingRequests } from './request-deadline.ts';

/** Of an account, or of an administrator over all accounts. */
const listSlots = createKeyedSemaphore(4);
const searchSlots = createKeyedSemaphore(2);
/** Of all, well below the connections of a process. */
const allSearchSlots = createKeyedSemaphore(4);
const waitMsMax = 10_000;
const waitingMax = 32;
const waiting = new WaitingRequests();

type PageOptions = {
  readonly accountId: string | undefined;
  /** Who searches, or undefined for a list. */
  readonly searcher?: string | undefined;
};

/** Throws `rate_limited` if too many wait, or no slot is free in time. */
export async function readInSlot<T>(
  { accountId, searcher }: PageOptions,
  read: () => Promise<T>,
): Promise<T> {
  const name = accountId ?? searcher ?? 'all';
  using started = waiting.start(name, waitingMax);
  if (!started) throw tooManyPages();
  const slots =
    searcher === undefined
      ? ([[listSlots, name]] as const)
      : ([
          [searchSlots, name],
          [allSearchSlots, ''],
        ] as const);
  using deadline = startDeadline(waitMsMax);
  const releases: (() => void)[] = [];
  try {
    for (const [slotsOfKind, owner] of slots) {
      const acquired = slotsOfKind.acquire(owner, deadline.signal);
      releases.push(
        await acquired.catch(() => {
          throw tooManyPages();
        }),
      );
    }
    return await read();
  } finally {
    for (const release of releases) release();
  }
}

/** People search as they type. */
const searchWindow = { name: 'searches', requests: 'searches', perMinute: 120 };

/** Counts a search of a person, and returns who searches. Throws `rate_limited` over the limit. */
export function countSearch(services: ApiServices, { person }: Pick<ApiRequest, 'person'>): string {
  if (!person) return 'admin token';
  enforceCallerLimit(services, person.id, searchWindow);
  return person.id;
}

const retrySeconds = 5;
const tooManyPages = () => rateLimited('Too many lists are being read at the moment', retrySeconds);
