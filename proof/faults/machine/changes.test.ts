/**
 * Samples of the fault tests `configuration-change` and `deadline-results`.
 * Thorough: samples of long fault tests.
 */
import { smokeTest } from '../smoke-test.ts';
import { configurationChange } from './configuration-change.ts';
import { deadlineResults } from './deadline-results.ts';

smokeTest(configurationChange, 1);
smokeTest(deadlineResults, 10);
