/**
 * Bodies and queries of every endpoint but create, judged by their schemas. What comes back has the
 * schema's type; what does not fit is refused in one sentence that names everything wrong with it.
 */

import { formatPath } from '@vidgen/contract/format-value.ts';
import { formatProblems, type Problem, problemsOf } from '@vidgen/contract/problem.ts';
import { textProblem } from '@vidgen/contract/text.ts';
import type { z } from 'zod';
import { ApiError } from '../../api-error.ts';

export function parseBody<Schema extends z.ZodObject>(
  schema: Schema,
  body: unknown,
): z.infer<Schema> {
  throwIfInvalid(problemsOf(schema, body));
  return schema.parse(body);
}

/** Takes what the HTTP server made of the query string: a parameter given twice is an array. */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: Readonly<Record<string, unknown>>,
): z.infer<Schema> {
  // The server's query object may have no prototype; the schema wants a plain one.
  const plain = { ...query };
  throwIfInvalid(Object.keys(schema.shape).flatMap((name) => valueProblems(name, plain[name])));
  throwIfInvalid(problemsOf(schema, plain));
  return schema.parse(plain);
}

function valueProblems(name: string, value: unknown): Problem[] {
  const rule = Array.isArray(value) ? 'must be given once' : textProblem(String(value));
  const path = formatPath([name]);
  return rule === null ? [] : [{ kind: 'shape', path, message: `${path} ${rule}` }];
}

/** A page's `cursor` is refused like any other value that does not fit. */
export const invalidCursor = (): ApiError =>
  new ApiError('invalid_request', 'cursor must be a next_cursor of this list');

/** Wrong types and unknown fields first; rules only when there is none of those. */
function throwIfInvalid(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const shapeProblems = problems.filter((problem) => problem.kind === 'shape');
  throw new ApiError(
    'invalid_request',
    formatProblems(shapeProblems.length > 0 ? shapeProblems : problems),
  );
}
