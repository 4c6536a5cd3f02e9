/** A sample of the fault test `migration-lock`. */
import { smokeTest } from '../smoke-test.ts';
import { migrationLock } from './migration-lock.ts';

smokeTest(migrationLock, 2);
