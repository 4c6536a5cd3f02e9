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

/** So many failed files run again. */
const repeatedMax = 5;

type Failure = { readonly name: string; readonly file: string };

type CountedRun = Omit<TestRunResult, 'failures' | 'unstable'> & { readonly failures: Failure[] };

export type TestRunResult = {
  passed: number;
  failed: number;
  skipped: number;
  readonly failures: string[];
  /** Duration of each file, or of a group in one process. */
  readonly files: { readonly file: string; readonly seconds: number }[];
  /** What failed beside other files, and passed when its file ran again alone. */
  readonly unstable: string[];
};

type RunOptions = {
  readonly signal: AbortSignal;
  /** Reruns a file when it or a module that it imports changes, until the signal aborts. */
  readonly watch?: boolean;
  readonly concurrency?: number;
};

/**
 * Runs the files side by side, then each that failed once more, alone: what fails then is broken;
 * what passes is reported as unstable, because it depends on how busy the machine is. When many
 * files fail, the machine is not the reason, and none runs again.
 */
export async function runFiles(
  files: readonly string[],
  options: RunOptions,
): Promise<TestRunResult> {
  const first = await runFilesOnce(files, options);
  const failed = [...new Set(first.failures.map(({ file }) => file))];
  // A check is registered by another file than the one that failed; it does not depend on load.
  const isEntry = failed.every((file) => file.endsWith('.test.ts'));
  const canRepeat = failed.length > 0 && failed.length <= repeatedMax && isEntry;
  if (!canRepeat || options.watch || options.signal.aborted) return reported(first);
  process.stdout.write(`\nRunning what failed again, alone: ${failed.join(', ')}\n\n`);
  const again = await runFilesOnce(
    failed.map((file) => resolve(file)),
    { ...options, concurrency: 1 },
  );
  const kept = first.files.filter(({ file }) => !failed.includes(file));
  const isSame = (one: Failure) =>
    again.failures.some(({ name, file }) => name === one.name && file === one.file);
  return {
    ...reported(again),
    passed: first.passed + first.failed - again.failed,
    skipped: first.skipped,
    files: [...kept, ...again.files],
    unstable: first.failures.filter((one) => !isSame(one)).map(lineOf),
  };
}

async function runFilesOnce(
  files: readonly string[],
  { signal, watch = false, concurrency = filesAtOnce }: RunOptions,
): Promise<CountedRun> {
  const result: CountedRun = { passed: 0, failed: 0, skipped: 0, failures: [], files: [] };
  const note = (name: string, file?: string) =>
    result.failures.push({ name, file: file === undefined ? '' : relative(process.cwd(), file) });
  const tests = run({
    files: [...files],
    signal,
    watch,
    isolation: 'process',
    // A test that fails before its cleanup must not keep its process, and so the run, alive.
    execArgv: ['--import', import.meta.resolve('./exit-after-tests.ts')],
    concurrency,
    timeout: fileMsMax,
  });
  tests.on('test:summary', ({ file, counts, duration_ms }) => {
    if (file !== undefined) {
      const path = relative(process.cwd(), file);
      return void result.files.push({ file: path, seconds: duration_ms / 1000 });
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

const lineOf = ({ name, file }: Failure) => `${name} (${file})`;

const reported = (counted: CountedRun): TestRunResult => ({
  ...counted,
  failures: counted.failures.map(lineOf),
  unstable: [],
});
