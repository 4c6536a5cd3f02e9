/**
 * No function over 70 lines: what does not fit on a screen is not read as one thought. Relies on
 * the formatter, which another check enforces: a function ends at the next line of its indentation.
 * Components may have 120: they are mostly the elements they show.
 */
import { readSource } from './source.ts';
import { formatProblem, isTest, sourceFiles, type Tree } from './tree.ts';

const linesMax = 70;
const componentLinesMax = 120;

/** Lines that open a block but no function. */
const control = /^(?:\} )?(?:else|if|for|while|switch|try|catch|finally|do|with)\b/;

export function longFunctionProblems(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(([path]) => !isTest(path))
    .flatMap(([path, text]) => {
      const max = path.endsWith('.tsx') ? componentLinesMax : linesMax;
      const lines = readSource(text)
        .code.split('\n')
        .map((line) => line.trimEnd());
      return lines.flatMap((_, index) => {
        const head = headOf(lines, index);
        if (head === undefined) return [];
        const length = endOf(lines, index) - head + 1;
        const advice = `a function of ${length} lines: split it, ${max} at most`;
        return length > max ? [formatProblem(path, head + 1, advice)] : [];
      });
    });
}

/** The first line of the function whose body this line opens, or undefined when it opens none. */
function headOf(lines: readonly string[], opening: number): number | undefined {
  const line = lines[opening]?.trim() ?? '';
  const opens =
    /(?:=>|\)) \{$/.test(line) || /\): .*\{$/.test(line) || /^\}[>\])|]* \{$/.test(line);
  if (!opens) return undefined;
  // A head that was broken over several lines closes its parameters at the indentation it began at.
  let head = opening;
  while (/^[)}]/.test(lines[head]?.trim() ?? '') && head > 0) {
    head = lastAt(lines, head, indentation(lines[head]));
  }
  return control.test(lines[head]?.trim() ?? '') ? undefined : head;
}

function lastAt(lines: readonly string[], before: number, indent: number): number {
  let index = before - 1;
  while (index > 0 && (!lines[index] || indentation(lines[index]) > indent)) index--;
  return Math.max(index, 0);
}

function endOf(lines: readonly string[], opening: number): number {
  const indent = indentation(lines[opening]);
  const after = lines.findIndex(
    (line, index) => index > opening && line !== '' && indentation(line) <= indent,
  );
  return after < 0 ? lines.length - 1 : after;
}

function indentation(line = ''): number {
  return line.length - line.trimStart().length;
}
