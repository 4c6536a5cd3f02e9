/**
 * Fault tests that need a database server or a disk of their own, each run once and small.
 * Thorough: each starts a database server and a disk of its own.
 */
import { millionTaskBacklog } from './backlog/crowd.ts';
import { databaseDiskFull } from './database/disk-full.ts';
import { standbyFailover } from './database/failover.ts';
import { smokeTest } from './smoke-test.ts';

smokeTest(standbyFailover, 1);
smokeTest(databaseDiskFull, 1);
smokeTest(millionTaskBacklog, 5000);
