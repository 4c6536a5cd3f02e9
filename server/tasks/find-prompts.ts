/** Finds how the prompts of tasks begin, for lists of what belongs to a task. */
import { promptPreviewCharacters } from '@vidgen/contract/admin-tasks.ts';
import type { Queryable } from '../database/database.ts';

/** By task; tasks that are deleted or whose prompt is deleted are missing. */
export async function findPrompts(
  db: Queryable,
  taskIds: readonly string[],
): Promise<Map<string, string>> {
  if (taskIds.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; prompt: string }>(
    `select id, left(generation->>'prompt', $2) as prompt from tasks
     where id = any($1::text[]) and generation->>'prompt' <> ''`,
    [taskIds, promptPreviewCharacters],
  );
  return new Map(rows.map(({ id, prompt }) => [id, prompt]));
}
