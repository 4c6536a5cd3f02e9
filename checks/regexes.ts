/**
 * No regular expression can be slow: none backtracks exponentially anywhere, and none that meets
 * text from outside takes quadratic time. Expressions of tests match our own text, so only the
 * exponential ones are rejected there.
 */
import { type Ambiguity, ambiguityOf } from './regex-ambiguity.ts';
import { type Literal, readSource } from './source.ts';
import { formatProblem, isTestCode, sourceFiles, type Tree } from './tree.ts';

type Expression = { readonly source: string; readonly flags: string };

export function regexProblems(tree: Tree): string[] {
  const known = new Map<string, Ambiguity>();
  return sourceFiles(tree).flatMap(([path, text]) =>
    readSource(text).regexes.flatMap((literal) => {
      const expression = expressionOf(literal);
      const ambiguity = known.get(literal.value) ?? ambiguityOf(expression);
      known.set(literal.value, ambiguity);
      const problem = problemOf(expression, ambiguity);
      const isAllowed = isTestCode(path) && ambiguity !== 'exponential';
      return problem === null || isAllowed ? [] : [formatProblem(path, literal.line, problem)];
    }),
  );
}

/** Null for an expression that takes linear time. */
export function problemOf(
  { source, flags }: Expression,
  ambiguity = ambiguityOf({ source, flags }),
): string | null {
  if (ambiguity === 'linear') return null;
  return `/${source}/${flags} takes ${ambiguity} time: make its loops disjoint or use indexOf`;
}

function expressionOf({ value }: Literal): Expression {
  const end = value.lastIndexOf('/');
  return { source: value.slice(1, end), flags: value.slice(end + 1) };
}
