/**
 * Only `clock.ts` reads the machine's time or waits, so tests can control all of it, and what the
 * database's clock must decide is not decided by another clock.
 */
import { importsOf, linesMatching } from './source.ts';
import { formatProblem, isTestCode, sourceFiles, type Tree } from './tree.ts';

/**
 * What is banned, and what to call instead. Methods of the same name (`socket.setTimeout`) are
 * allowed.
 */
const bannedPatterns: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  { pattern: /\bDate\.now\b/g, instead: 'nowMs() or unixSeconds()' },
  { pattern: /\bnew Date\(\s*\)|\bnew Date\b(?!\s*\()/g, instead: 'new Date(nowMs())' },
  { pattern: /(?<!new )(?<![.\w$])Date\(/g, instead: 'new Date(nowMs())' },
  { pattern: /\bperformance\.now\b|\bprocess\.hrtime\b/g, instead: 'monotonicMs()' },
  { pattern: /(?<![.\w$])(?:globalThis\.)?setTimeout\b/g, instead: 'sleep() or after()' },
  { pattern: /(?<![.\w$])(?:globalThis\.)?setInterval\b/g, instead: 'every()' },
  {
    pattern: /(?<![.\w$])(?:globalThis\.)?setImmediate\b/g,
    instead: 'sleep(0) or afterArrivals()',
  },
  // Both hold memory until the time is up, or as long as the longest-lived signal lives.
  { pattern: /\bAbortSignal\.(?:timeout|any)\b/g, instead: 'startDeadline() or linkSignals()' },
];
const modules = /^(node:)?(timers(\/promises)?|perf_hooks)$/;

/** Served to browsers, and never run by the service. */
const isBrowserCode = (path: string): boolean => path.startsWith('server/api/pages/site/');

export function timeProblems(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(([path]) => path.startsWith('server/') && path !== 'server/process/clock.ts')
    .filter(([path]) => !isTestCode(path) && !isBrowserCode(path))
    .flatMap(([path, text]) => {
      const imported = importsOf(text)
        .filter(({ specifier, typeOnly }) => modules.test(specifier) && !typeOnly)
        .map(({ specifier, line }) =>
          formatProblem(path, line, `imports ${specifier}: use server/process/clock.ts`),
        );
      const used = bannedPatterns.flatMap(({ pattern, instead }) =>
        linesMatching(text, pattern).map((line) =>
          formatProblem(
            path,
            line,
            `reads the time or waits: use ${instead} of server/process/clock.ts`,
          ),
        ),
      );
      return [...imported, ...used];
    });
}
