/**
 * Runs test files, each in its own process, and counts the results. A file cannot block the run:
 * not with a forgotten child process, a hang, or no test at all.
 */
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/** More than the number of cores, because many tests mostly wait. */
const filesAtOnce = availableParallelism() + 3;
/** Limit of a whole file: long enough for a busy machine, and a file that hangs still ends. */
const fileMsMax = 10 * 60_000;

/** The reporter's own totals, dropped because the last line of the run adds up all parts. */
const reportedTotals = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*\n?/gm;

export type TestRunResult = {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed and where, one line per failure. */
  readonly failures: string[];
  /** Duration of each file, as measured by its process. */
  readonly seconds: { readonly file: string; readonly seconds: number }[];
};

export async function runFiles(
  files: readonly string[],
  options: {
    readonly signal: AbortSignal;
    /** Reruns a file when it or a module that it imports changes, until the signal aborts. */
    readonly watch?: boolean;
  },
): Promise<TestRunResult> {
  const { signal, watch = false } = options;
  const result: TestRunResult = { passed: 0, failed: 0, skipped: 0, failures: [], seconds: [] };
  const note = (name: string, file = '') =>
    result.failures.push(`${name} (${relative(process.cwd(), file)})`);
  const tests = run({
    files: [...files],
    signal,
    watch,
    isolation: 'process',
    // A test that fails before its cleanup must not keep its process, and so the run, alive.
    execArgv: ['--import', import.meta.resolve('./exit-after-tests.ts')],
    concurrency: filesAtOnce,
    timeout: fileMsMax,
  });
  tests.on('test:summary', ({ file, counts, duration_ms }) => {
    if (file !== undefined) {
      const path = relative(process.cwd(), file);
      return void result.seconds.push({ file: path, seconds: duration_ms / 1000 });
    }
    result.passed += counts.passed;
    result.skipped += counts.skipped + counts.todo;
    result.failed += counts.tests - counts.passed - counts.skipped - counts.todo;
  });
  tests.on('test:pass', ({ name, file, nesting }) => {
    // Node reports a file without tests as a passed test.
    if (nesting > 0 || file === undefined || resolve(name) !== file) return;
    result.passed--;
    result.failed++;
    note('a file without a test', file);
  });
  tests.on('test:fail', ({ name, file, details }) => {
    const { failureType } = details.error as Error & { failureType?: string };
    if (failureType !== 'subtestsFailed') note(name, file);
  });
  for await (const text of tests.compose(spec)) {
    process.stdout.write(watch ? String(text) : String(text).replace(reportedTotals, ''));
  }
  return result;
}
