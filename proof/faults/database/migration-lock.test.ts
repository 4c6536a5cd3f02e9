/**
 * A sample of the fault test `migration-lock`.
 * Thorough: a sample of a long fault test.
 */
import { smokeTest } from '../smoke-test.ts';
import { migrationLock } from './migration-lock.ts';

smokeTest(migrationLock, 2);
