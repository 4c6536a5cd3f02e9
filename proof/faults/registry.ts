/** Every fault test, in the order in which they run and are shown. */
import { addressVariants } from './addresses/addresses.ts';
import { hostileReceivers } from './addresses/receivers.ts';
import { millionTaskBacklog } from './backlog/crowd.ts';
import { deadReceiver } from './backlog/dead-receiver.ts';
import { cutConnections } from './clients/cut-connections.ts';
import { databaseDiskFull } from './database/disk-full.ts';
import { standbyFailover } from './database/failover.ts';
import { migrationLock } from './database/migration-lock.ts';
import { partition, partitionByFirewall } from './database/partition.ts';
import { pooler } from './database/pooler.ts';
import { databaseRestarts } from './database/restarts.ts';
import { revokedKey } from './database/revoked-key.ts';
import { hostileExpressions } from './expressions/hostile-expressions.ts';
import type { FaultTest } from './fault-test.ts';
import { fuzzedRequests, rawSockets } from './fuzz/fuzzed-requests.ts';
import { kills } from './kills/kills.ts';
import { pauses } from './kills/pauses.ts';
import { clockJumps } from './machine/clock-jumps.ts';
import { configurationChange } from './machine/configuration-change.ts';
import { deadlineResults } from './machine/deadline-results.ts';
import { pollMemory } from './machine/poll-memory.ts';
import { resultsDiskFull } from './machine/results-disk-full.ts';
import { rollingRestarts } from './machine/rolling-restarts.ts';
import { moneyCrashes } from './money/crashes.ts';
import { moneySchedules } from './money/schedules.ts';
import { power } from './power/power.ts';
import { heldBodies } from './rights/held-bodies.ts';
import { canaries } from './secrets/search.ts';

export const faultTests: readonly FaultTest[] = [
  moneySchedules,
  moneyCrashes,
  kills,
  pauses,
  power,
  rollingRestarts,
  databaseRestarts,
  standbyFailover,
  pooler,
  partition,
  partitionByFirewall,
  databaseDiskFull,
  resultsDiskFull,
  clockJumps,
  millionTaskBacklog,
  deadReceiver,
  revokedKey,
  heldBodies,
  cutConnections,
  hostileReceivers,
  addressVariants,
  fuzzedRequests,
  rawSockets,
  hostileExpressions,
  canaries,
  pollMemory,
  migrationLock,
  configurationChange,
  deadlineResults,
];
