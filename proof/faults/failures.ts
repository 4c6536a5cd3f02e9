/**
 * What can go wrong, what must happen then, and what shows that it does: a proof of `npm run
 * faults` names the failures it brings about; tests of `npm test` are named here by their file.
 */
export type Failure = {
  readonly failure: string;
  readonly expected: string;
  /** Files of `npm test` that show it, from the root. */
  readonly tests: readonly string[];
};

/** By its number. */
export const failures: Readonly<Record<number, Failure>> = {
  1: {
    failure: 'kill -9 before a create is committed',
    expected: 'the client sees a reset; no task, no reservation',
    tests: ['proof/faults/kills/kill.test.ts'],
  },
  2: {
    failure: 'kill -9 after the commit, before the answer',
    expected: 'one task; the repeat with its Idempotency-Key gets the first answer',
    tests: ['proof/faults/kills/kill.test.ts', 'server/lifecycle/accept.test.ts'],
  },
  3: {
    failure: 'kill -9 of a worker at each of its steps',
    expected: 'another goes on: one generation, one settlement, one message to the receiver',
    tests: ['proof/faults/kills/kill.test.ts', 'proof/faults/process-exits.test.ts'],
  },
  4: {
    failure: 'a worker hangs past its lease, then goes on',
    expected: 'what it still wants to write is refused, and it pays for nothing',
    tests: ['server/queue/queue.test.ts'],
  },
  5: {
    failure: 'a stop for a deployment, under load',
    expected: 'it answers who is waiting, gives its work back and leaves with 0; no create fails',
    tests: ['proof/faults/process-exits.test.ts', 'proof/faults/machine/machine.test.ts'],
  },
  6: {
    failure: 'the database crashes and restarts',
    expected: '`internal_error` meanwhile; processes stay up, and everything goes on',
    tests: ['proof/faults/database/restarts.test.ts', 'server/worker/worker.test.ts'],
  },
  7: {
    failure: 'failover to a standby',
    expected: 'nothing acknowledged is lost, where the standby is synchronous',
    tests: ['proof/faults/smoke.test.ts'],
  },
  8: {
    failure: 'no connection is free; PgBouncer in transaction mode',
    expected: 'a bounded wait, never a hang; no state of a session is relied on',
    tests: ['server/database/postgres.test.ts'],
  },
  9: {
    failure: 'the provider is slow, answers 500, resets',
    expected: 'looks are repeated with patience; after its deadline the task fails, refunded',
    tests: [
      'proof/journeys/failed.test.ts',
      'proof/journeys/lost-responses.test.ts',
      'proof/faults/machine/failing-polls.test.ts',
    ],
  },
  10: {
    failure: 'a submit is accepted and its answer lost',
    expected: 'one generation; where a provider offers no protection at most one, and a refund',
    tests: ['proof/journeys/lost-responses.test.ts'],
  },
  11: {
    failure: 'callbacks twice, in the wrong order, forged, about unknown or finished tasks',
    expected: 'a hint to look, never a fact: no effect but one look',
    tests: [
      'proof/journeys/charged-once.test.ts',
      'proof/journeys/routing.test.ts',
      'proof/faults/money/money.test.ts',
    ],
  },
  12: {
    failure: 'the provider completes after we gave up and refunded',
    expected: 'it stays failed and refunded; the cost is shown as ours',
    tests: [
      'proof/journeys/charged-once.test.ts',
      'proof/journeys/failed.test.ts',
      'proof/faults/money/money.test.ts',
    ],
  },
  13: {
    failure: 'the refund itself fails',
    expected: 'retried; then `refund_failed`, for a person, who settles it in the audit log',
    tests: ['proof/journeys/rejected-requests.test.ts', 'proof/faults/money/money.test.ts'],
  },
  14: {
    failure: 'clocks jump by hours, or differ between processes',
    expected: 'nothing ends early: the database’s clock decides',
    tests: ['proof/faults/machine/machine.test.ts', 'server/queue/queue.test.ts'],
  },
  15: {
    failure: 'a receiver hangs, drips, or never ends',
    expected: 'an attempt costs 15 s, 64 KiB and a socket at the most',
    tests: [
      'server/egress/guarded-request.test.ts',
      'proof/journeys/webhooks.test.ts',
      'proof/faults/addresses/receivers.test.ts',
    ],
  },
  16: {
    failure: 'a receiver redirects, refuses, has no TLS or no name',
    expected: 'failed; six attempts with the same id and bytes, then exhausted, for a replay',
    tests: [
      'proof/journeys/webhooks.test.ts',
      'server/webhooks/delivery.test.ts',
      'proof/faults/addresses/receivers.test.ts',
    ],
  },
  17: {
    failure: 'one dead receiver among many',
    expected: 'no call to another waits for it, nor those of the same account',
    tests: ['proof/journeys/webhooks.test.ts'],
  },
  18: {
    failure: 'kill -9 between the receiver’s 200 and our note of it',
    expected: 'sent again, with the same id',
    tests: ['proof/faults/kills/kill.test.ts'],
  },
  19: {
    failure: 'a create is sent twice',
    expected: 'one task with an Idempotency-Key; another body under the same key is refused',
    tests: ['server/lifecycle/accept.test.ts', 'proof/faults/processes.test.ts'],
  },
  20: {
    failure: 'many spend the last credits at once',
    expected: 'never more than there are; the others get 402 with both figures',
    tests: [
      'server/lifecycle/accept.test.ts',
      'proof/faults/processes.test.ts',
      'proof/faults/money/money.test.ts',
    ],
  },
  21: {
    failure: 'a result expires while it is read',
    expected: 'what began before comes to its end; afterwards the address is dead',
    tests: ['proof/journeys/expired.test.ts', 'proof/faults/machine/slow-download.test.ts'],
  },
  22: {
    failure: 'a result is stored, and the process dies before it says so',
    expected: 'the same files are written again; nothing is left that belongs to no task',
    tests: ['proof/faults/kills/kill.test.ts', 'server/lifecycle/sweep.test.ts'],
  },
  23: {
    failure: 'the disk of the database is full',
    expected: '`internal_error`, nothing half done; all goes on when there is room',
    tests: ['proof/faults/smoke.test.ts'],
  },
  24: {
    failure: 'the disk of the results is full, or cannot be written to',
    expected: 'stored once there is room; refunded at the deadline; no half file is served',
    tests: ['proof/faults/machine/machine.test.ts'],
  },
  25: {
    failure: 'a task that kills its worker each time',
    expected: 'after three deaths it fails, refunded; it runs alone meanwhile',
    tests: ['proof/faults/process-exits.test.ts'],
  },
  26: {
    failure: 'a million tasks are waiting',
    expected: 'creates, reads and claims cost what they cost without them',
    tests: ['proof/faults/smoke.test.ts'],
  },
  27: {
    failure: 'one noisy account',
    expected: 'the others are served in every round',
    tests: ['server/queue/queue.test.ts', 'proof/journeys/preview-slots.test.ts'],
  },
  28: {
    failure: 'what counts requests is lost',
    expected: 'it is the database: without it nothing is admitted, and nothing refused as too much',
    tests: ['server/rate-limits/create-limiter.test.ts', 'server/api/pages/health.test.ts'],
  },
  29: {
    failure: 'a key is revoked, and another process has it in memory',
    expected: 'refused there within five seconds, also when nobody tells it',
    tests: ['proof/faults/processes.test.ts', 'server/accounts/key-cache.test.ts'],
  },
  30: {
    failure: 'a worker and the database lose sight of each other',
    expected: 'it does nothing more that costs; another goes on; nothing is doubled',
    tests: ['proof/faults/database/restarts.test.ts'],
  },
  31: {
    failure: 'several rescuers and sweepers at once',
    expected: 'no effect twice',
    tests: ['proof/faults/money/money.test.ts'],
  },
  32: {
    failure: 'hostile JSON: depth, doubled keys, `__proto__`, 10 MB, half characters, NUL',
    expected: '400, in bounded time and memory',
    tests: ['server/api/http/json-body.test.ts', 'proof/faults/fuzz/fuzz.test.ts'],
  },
};
