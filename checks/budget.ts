/**
 * How many lines of TypeScript and JavaScript each workspace may have. A change that needs more
 * raises the limit here, and says why in CHANGELOG.md.
 */
import { formatProblem, sourceFiles, type Tree } from './tree.ts';

const limits: Readonly<Record<string, number>> = {
  server: 103_850,
  dashboard: 21_050,
  renderer: 15_150,
  contract: 5_090,
  proof: 30_550,
  checks: 3_550,
  rest: 5_400,
};

export function budgetProblems(tree: Tree): string[] {
  const workspaceOf = (path: string) => {
    const folder = path.split('/')[0]!;
    return folder in limits ? folder : 'rest';
  };
  const files = Map.groupBy(sourceFiles(tree), ([path]) => workspaceOf(path));
  return [...files].flatMap(([workspace, texts]) => {
    const lines = texts.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0);
    const message = `${lines} lines in ${workspace}; the limit is ${limits[workspace]}`;
    return lines > limits[workspace]! ? [formatProblem('checks/budget.ts', 1, message)] : [];
  });
}
