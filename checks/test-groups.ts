/**
 * Groups test files that share no state, each group to run in one process, one file after the
 * other: starting a process and loading the same modules costs more than most of these files.
 */
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { exitWhenSilent } from './exit-after-tests.ts';
import type { Tree } from './tree.ts';

/** A file that changes or depends on its process, or starts others, has one of its own. */
const ownProcess = [
  /\bmock\b|\bglobalThis\b|\bimport\.meta\.main\b|node:(?:child_process|worker_threads)/,
  /(?<![-\w])process\.(?!env\.VIDGEN_TEST_THOROUGH\b|(?:arch|getuid|pid|platform|version)\b)/,
];
/** A file without a test is reported only when it runs alone. */
const hasTest = /\btest\(/;

/** Returns every file once. Files of the same folder are in the same group where possible. */
export function groupTestFiles(
  tree: Tree,
  files: readonly string[],
  { filesMax }: { readonly filesMax: number },
): string[][] {
  const canShare = (file: string) => {
    const source = tree.get(file) ?? '';
    return hasTest.test(source) && !ownProcess.some((pattern) => pattern.test(source));
  };
  const shared = files.filter(canShare).toSorted();
  const groups = files.filter((file) => !canShare(file)).map((file) => [file]);
  for (let at = 0; at < shared.length; at += filesMax) {
    groups.push(shared.slice(at, at + filesMax));
  }
  return groups;
}

/**
 * Runs the files of a group. The hooks of a file run around its own tests only, and the next file
 * is loaded when they are done.
 */
export async function runGroup(files: readonly string[]): Promise<void> {
  let filesLeft = files.length;
  // Otherwise a process that ends between two files would pass without the tests of the others.
  process.on('exit', () => {
    if (filesLeft > 0) process.exitCode = 1;
  });
  for (const file of files) {
    await describe(file, () => loadTests(file));
    filesLeft--;
  }
  exitWhenSilent();
}

async function loadTests(file: string): Promise<void> {
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    // Node does not count a suite that fails to load as a failed test.
    test(`loading ${file}`, () => {
      throw error;
    });
  }
}
