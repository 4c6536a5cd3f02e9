/**
 * Migrations are applied once, in the order of their names, so the names are numbered without a gap
 * and say what they add.
 */
import { formatProblem, type Tree } from './tree.ts';

const folder = 'server/database/migrations/';

export function migrationProblems(tree: Tree): string[] {
  const names = [...tree.keys()]
    .filter((path) => path.startsWith(folder))
    .map((path) => path.slice(folder.length))
    .sort();
  return names.flatMap((name, index) => {
    const number = String(index + 1).padStart(4, '0');
    const problem = (message: string) => [formatProblem(folder + name, 1, message)];
    if (!/^\d{4}_[a-z][a-z0-9_]*\.sql$/.test(name)) {
      return problem(`is not named like ${number}_noun.sql`);
    }
    return name.startsWith(number)
      ? []
      : problem(`is number ${number} in order: no gap, no double`);
  });
}
