/**
 * Groups test files that share no state, each group to run in one process: starting a process and
 * loading the same modules costs more than most of these files.
 */
import type { Tree } from './tree.ts';

const groupFilesMax = 12;

/**
 * Hooks at the top of a file would run around the tests of the whole group; the others change or
 * depend on the process.
 */
const ownProcess = [
  /\b(?:before|after|beforeEach|afterEach)\(/,
  /\bmock\b|\bprocess\.|\bglobalThis\b|\bimport\.meta\.main\b/,
  /node:(?:child_process|worker_threads)/,
];
/** A file without a test is reported only when it runs alone. */
const hasTest = /\btest\(/;

/** Returns every file once. Files of the same folder are in the same group where possible. */
export function groupTestFiles(tree: Tree, files: readonly string[]): string[][] {
  const canShare = (file: string) => {
    const source = tree.get(file) ?? '';
    return hasTest.test(source) && !ownProcess.some((pattern) => pattern.test(source));
  };
  const shared = files.filter(canShare).toSorted();
  const groups = files.filter((file) => !canShare(file)).map((file) => [file]);
  for (let at = 0; at < shared.length; at += groupFilesMax) {
    groups.push(shared.slice(at, at + groupFilesMax));
  }
  return groups;
}
