/** Counts the rows that statements read, from their plans: whether a cost grows with a table. */
import type { Queryable, Row, Rows } from '../../server/database/database.ts';

type PlanNode = {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
};

/** Rows of tables that the statements of `work` read, also those that a filter removed. */
export async function countRowsRead(
  db: Queryable,
  work: (db: Queryable) => Promise<unknown>,
): Promise<number> {
  let rowsRead = 0;
  const query: Queryable['query'] = async <R extends Row>(
    statement: Parameters<Queryable['query']>[0],
    values?: readonly unknown[],
  ): Promise<Rows<R>> => {
    const text = typeof statement === 'string' ? statement : statement.text;
    if (/^\s*(select|with)\b/.test(text)) {
      const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, timing off, format json) ${text}`,
        values,
      );
      rowsRead += rowsOf(rows[0]!['QUERY PLAN'][0].Plan);
    }
    return await db.query<R>(statement, values);
  };
  await work({ query });
  return Math.round(rowsRead);
}

function rowsOf(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(plan), 0);
  if (node['Relation Name'] === undefined) return below;
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + (node['Actual Rows'] + removed) * node['Actual Loops'];
}
