/**
 * The failures that can happen, what must happen then, and the tests that show it. A fault test of
 * `npm run faults` names the numbers it covers; tests of `npm test` are listed here by file.
 */
export type Failure = {
  readonly failure: string;
  readonly expected: string;
  /** Test files of `npm test`, from the root. */
  readonly tests: readonly string[];
};

/** By number. */
export const failures: Readonly<Record<number, Failure>> = {
  1: {
    failure: 'kill -9 before a create is committed',
    expected: 'the client sees a reset; no task, no reservation',
    tests: ['proof/faults/kills/kill.test.ts'],
  },
  2: {
    failure: 'kill -9 after the commit, before the response',
    expected: 'one task; the repeat with its Idempotency-Key gets the first response',
    tests: ['proof/faults/kills/kill.test.ts', 'server/lifecycle/accept.test.ts'],
  },
  3: {
    failure: 'kill -9 of a worker at each of its steps',
    expected: 'another worker continues: one generation, one settlement, one webhook message',
    tests: ['proof/faults/kills/kill.test.ts', 'proof/faults/process-exits.test.ts'],
  },
  4: {
    failure: 'a worker hangs past its lease, then resumes',
    expected: 'its writes are rejected, and it pays for nothing',
    tests: ['server/queue/queue.test.ts'],
  },
  5: {
    failure: 'a stop for a deployment, under load',
    expected: 'it answers waiting requests, releases its jobs and exits with 0; no create fails',
    tests: ['proof/faults/process-exits.test.ts', 'proof/faults/machine/machine.test.ts'],
  },
  6: {
    failure: 'the database crashes and restarts',
    expected: '`internal_error` meanwhile; processes stay up, and all work continues',
    tests: ['proof/faults/database/restarts.test.ts', 'server/worker/worker.test.ts'],
  },
  7: {
    failure: 'failover to a standby',
    expected: 'no acknowledged task is lost, where the standby is synchronous',
    tests: ['proof/faults/smoke.test.ts'],
  },
  8: {
    failure: 'no connection is free; PgBouncer in transaction mode',
    expected: 'a bounded wait, never a hang; no dependency on a session',
    tests: ['server/database/postgres.test.ts'],
  },
  9: {
    failure: 'the provider is slow, returns 500, resets',
    expected: 'polls are repeated with backoff; after its deadline the task fails, refunded',
    tests: [
      'proof/journeys/failed.test.ts',
      'proof/journeys/lost-responses.test.ts',
      'proof/faults/machine/failing-polls.test.ts',
    ],
  },
  10: {
    failure: 'a submit is accepted and its response lost',
    expected: 'one generation; where a provider offers no protection at most one, and a refund',
    tests: ['proof/journeys/lost-responses.test.ts'],
  },
  11: {
    failure: 'callbacks twice, in the wrong order, forged, about unknown or finished tasks',
    expected: 'a hint to poll, never a fact: no effect but one poll',
    tests: [
      'proof/journeys/charged-once.test.ts',
      'proof/journeys/routing.test.ts',
      'proof/faults/money/money.test.ts',
    ],
  },
  12: {
    failure: 'the provider completes after the task timed out and was refunded',
    expected: 'the task stays failed and refunded; the cost is shown as a loss',
    tests: [
      'proof/journeys/charged-once.test.ts',
      'proof/journeys/failed.test.ts',
      'proof/faults/money/money.test.ts',
    ],
  },
  13: {
    failure: 'the refund itself fails',
    expected:
      'retried; then `refund_failed`, until an administrator settles it, with an audit log entry',
    tests: ['server/api/admin/tasks.test.ts', 'proof/faults/money/money.test.ts'],
  },
  14: {
    failure: 'clocks jump by hours, or differ between processes',
    expected: 'nothing ends early: the clock of the database decides',
    tests: ['proof/faults/machine/machine.test.ts', 'server/queue/queue.test.ts'],
  },
  15: {
    failure: 'a receiver hangs, drips, or never ends',
    expected: 'an attempt costs at most 15 s, 64 KiB and one socket',
    tests: [
      'server/egress/guarded-request.test.ts',
      'proof/journeys/webhooks.test.ts',
      'proof/faults/addresses/receivers.test.ts',
    ],
  },
  16: {
    failure: 'a receiver redirects, rejects, has no TLS or no DNS name',
    expected: 'failed; six attempts with the same id and bytes, then exhausted, for a replay',
    tests: [
      'proof/journeys/webhooks.test.ts',
      'server/webhooks/delivery.test.ts',
      'proof/faults/addresses/receivers.test.ts',
    ],
  },
  17: {
    failure: 'one dead receiver among many',
    expected: 'no webhook to another receiver waits for it, of the same account or not',
    tests: ['proof/journeys/webhooks.test.ts'],
  },
  18: {
    failure: 'kill -9 between the receiver’s 200 and the commit of it',
    expected: 'sent again, with the same id',
    tests: ['proof/faults/kills/kill.test.ts'],
  },
  19: {
    failure: 'a create is sent twice',
    expected: 'one task with an Idempotency-Key; another body under the same key is rejected',
    tests: ['server/lifecycle/accept.test.ts', 'proof/faults/processes.test.ts'],
  },
  20: {
    failure: 'many requests spend the last credits at once',
    expected: 'never more than there are; the others get 402 with both figures',
    tests: [
      'server/lifecycle/accept.test.ts',
      'proof/faults/processes.test.ts',
      'proof/faults/money/money.test.ts',
    ],
  },
  21: {
    failure: 'a result expires while it is read',
    expected: 'a download that began before is complete; afterwards the URL is dead',
    tests: ['proof/journeys/expired.test.ts', 'proof/faults/machine/slow-download.test.ts'],
  },
  22: {
    failure: 'a result is stored, and the process dies before the commit',
    expected: 'the same files are written again; no file without a task is left',
    tests: ['proof/faults/kills/kill.test.ts', 'server/lifecycle/sweep.test.ts'],
  },
  23: {
    failure: 'the disk of the database is full',
    expected: '`internal_error`, no partial change; work continues when there is space',
    tests: ['proof/faults/smoke.test.ts'],
  },
  24: {
    failure: 'the disk of the results is full, or cannot be written to',
    expected: 'stored once there is space; refunded at the deadline; no incomplete file is served',
    tests: ['proof/faults/machine/machine.test.ts'],
  },
  25: {
    failure: 'a task that kills its worker each time',
    expected: 'after three crashes it fails, refunded; it runs isolated meanwhile',
    tests: ['proof/faults/process-exits.test.ts'],
  },
  26: {
    failure: 'a million tasks are waiting',
    expected: 'creates, reads and claims cost the same as without them',
    tests: ['proof/faults/smoke.test.ts'],
  },
  27: {
    failure: 'one noisy account',
    expected: 'all other accounts are served in every round',
    tests: ['server/queue/queue.test.ts', 'proof/journeys/preview-slots.test.ts'],
  },
  28: {
    failure: 'the rate limit counters are lost',
    expected:
      'they are in the database: without it nothing is accepted, and nothing is rate limited',
    tests: ['server/rate-limits/create-limiter.test.ts', 'server/api/pages/health.test.ts'],
  },
  29: {
    failure: 'a key is revoked, and another process has it cached',
    expected: 'rejected there within five seconds, also without a notification',
    tests: ['proof/faults/processes.test.ts', 'server/accounts/key-cache.test.ts'],
  },
  30: {
    failure: 'a worker cannot reach the database any more',
    expected: 'it does nothing more that costs; another worker continues; nothing is doubled',
    tests: ['proof/faults/database/restarts.test.ts'],
  },
  31: {
    failure: 'several rescuers and sweepers at once',
    expected: 'no effect twice',
    tests: ['proof/faults/money/money.test.ts'],
  },
  32: {
    failure: 'hostile JSON: depth, duplicate keys, `__proto__`, 10 MB, half characters, NUL',
    expected: '400, in bounded time and memory',
    tests: ['server/api/http/json-body.test.ts', 'proof/faults/fuzz/fuzz.test.ts'],
  },
  33: {
    failure: 'the machine loses power',
    expected: 'all that was acknowledged is there, and the service starts again by itself',
    tests: ['proof/faults/power/power.test.ts'],
  },
  34: {
    failure: 'a right is lost while a request that needs it is under way',
    expected: '401, 403 or 404, and nothing has happened; the body may be held back for long',
    tests: ['proof/faults/rights/held-bodies.test.ts', 'server/api/people/lost-rights.test.ts'],
  },
  35: {
    failure: 'polls of tasks whose deadline is an hour away, by the hundred thousand',
    expected: 'memory stays flat: a poll leaves nothing behind',
    tests: ['proof/faults/machine/poll-memory.test.ts'],
  },
  36: {
    failure: 'a migration needs a lock that a backup holds, or its process dies meanwhile',
    expected: 'requests are answered, no statement is left waiting, and it is applied afterwards',
    tests: ['proof/faults/database/migration-lock.test.ts', 'server/database/migrate.test.ts'],
  },
  37: {
    failure: 'a process does not know the provider of a task, because its configuration is older',
    expected: 'the task is left to a process that knows it, also while that one restarts',
    tests: ['proof/faults/machine/changes.test.ts', 'proof/journeys/rolling-configuration.test.ts'],
  },
  38: {
    failure: 'the provider finishes just before or just after the deadline',
    expected: 'what was finished in time is delivered and charged; all else ends once, correctly',
    tests: ['proof/faults/machine/changes.test.ts', 'proof/journeys/deadline.test.ts'],
  },
  39: {
    failure: 'texts that make a regular expression or a parser slow',
    expected: 'processor time grows in proportion to the length of the text',
    tests: ['proof/faults/expressions/hostile-expressions.test.ts', 'checks/regexes.test.ts'],
  },
  40: {
    failure: 'a connection breaks, and the client repeats the create',
    expected:
      'with an Idempotency-Key one task and one charge for each intent; without one, two rules',
    tests: [
      'proof/faults/clients/cut-connections.test.ts',
      'server/api/v1/undelivered-create.test.ts',
      'server/lifecycle/undelivered-creates.test.ts',
    ],
  },
};
