/**
 * Migrations are applied once, in the order of their names, so the names are numbered without a gap
 * and say what they add. An index on a table with rows is built concurrently: otherwise nothing can
 * be written to the table until it is built.
 */
import { formatProblem, type Tree } from './tree.ts';

const folder = 'server/database/migrations/';

function indexProblems(tree: Tree, name: string): string[] {
  const sql = (tree.get(folder + name) ?? '').replace(/--.*/g, '');
  const created = new Set([...sql.matchAll(/create table (\w+)/gi)].map(([, table]) => table));
  return [...sql.matchAll(/create (?:unique )?index (concurrently )?\w+\s+on (\w+)/gi)]
    .filter(([, concurrently, table]) => !concurrently && !created.has(table))
    .map(([, , table]) =>
      formatProblem(
        folder + name,
        1,
        `builds an index on ${table}, which has rows: use "-- concurrently" in a file of its own`,
      ),
    );
}

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
    if (!name.startsWith(number)) {
      return problem(`is number ${number} in order: no gap, no double`);
    }
    return indexProblems(tree, name);
  });
}
