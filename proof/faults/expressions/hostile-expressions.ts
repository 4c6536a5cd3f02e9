/**
 * Sends hostile texts to every regular expression of the service and to every parser that a
 * stranger reaches, and compares the processor time of short and long ones: work must grow with
 * the size of its input, not with a power of it.
 */
import { runInNewContext } from 'node:vm';
import { readSource } from '../../../checks/source.ts';
import { isTestCode, readTree, sourceFiles } from '../../../checks/tree.ts';
import { type FaultTest, noFindings, resultOf } from '../fault-test.ts';
import { growthProblem } from './growth.ts';
import { type HostileInput, hostileInputsFor, hostileTexts } from './hostile-inputs.ts';
import { parsers } from './parsers.ts';

type Expression = { readonly source: string; readonly flags: string };
type HostileRun = { readonly target: string; readonly work: (size: number) => void };

/** Ends an exponential expression, which would otherwise never return. */
const guardMs = 60_000;

export const hostileExpressions: FaultTest = {
  name: 'hostile-expressions',
  title: 'hostile texts for every regular expression and parser that a stranger reaches',
  failures: [39],
  unit: 'texts',
  runs: 20_000,
  async run({ runs, seed, log, signal }) {
    const all = [...parserRuns(), ...expressionRuns()];
    const chosen = sampleOf(all, { runs, seed });
    log(`${chosen.length} of ${all.length} texts, seed ${seed}`);
    const violations: string[] = [];
    let done = 0;
    for (const { target, work } of chosen) {
      if (signal.aborted) break;
      const problem = problemOf(work);
      if (problem !== null) violations.push(`${target}: ${problem}`);
      done += 1;
    }
    const notes = [`${done} texts for ${new Set(chosen.map(({ target }) => target)).size} targets`];
    return resultOf([noFindings], { runs: done, violations, notes });
  },
};

export function problemOf(work: HostileRun['work']): string | null {
  try {
    return growthProblem(work);
  } catch (error) {
    return (error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
      ? 'did not return'
      : `threw ${(error as Error).message}`;
  }
}

const parserRuns = (): HostileRun[] =>
  Object.entries(parsers).flatMap(([name, parse]) =>
    hostileTexts.map((input) => ({ target: name, work: (size) => void parse(input(size)) })),
  );

function expressionRuns(): HostileRun[] {
  const expressions = new Map<string, Expression>();
  const files = sourceFiles(readTree()).filter(
    ([path]) => /^(server|contract)\//.test(path) && !isTestCode(path),
  );
  for (const [path, text] of files) {
    for (const { value, line } of readSource(text).regexes) {
      const end = value.lastIndexOf('/');
      expressions.set(`${path}:${line}`, {
        source: value.slice(1, end),
        flags: value.slice(end + 1),
      });
    }
  }
  return [...expressions]
    .filter(([, one]) => isValid(one))
    .flatMap(([place, expression]) =>
      hostileInputsFor(expression).map((input) => ({
        target: place,
        work: expressionWork(expression, input),
      })),
    );
}

/** Markup in templates can look like an expression. */
function isValid({ source, flags }: Expression): boolean {
  try {
    return new RegExp(source, flags).source !== '';
  } catch {
    return false;
  }
}

export const expressionWork =
  ({ source, flags }: Expression, input: HostileInput) =>
  (size: number): void => {
    const text = input(size);
    const globals = { pattern: new RegExp(source, flags), text };
    runInNewContext('text.replace(pattern, "")', globals, { timeout: guardMs });
  };

/** Every text once if there are fewer than `runs`; otherwise spread over all targets. */
function sampleOf(
  all: readonly HostileRun[],
  { runs, seed }: { readonly runs: number; readonly seed: number },
): HostileRun[] {
  const step = Math.max(1, all.length / runs);
  const count = Math.min(runs, all.length);
  return Array.from({ length: count }, (_, index) => {
    return all[Math.floor(index * step + (seed % Math.ceil(step))) % all.length]!;
  });
}
