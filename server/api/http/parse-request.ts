/**
 * Parses bodies and queries by their schemas, on every endpoint but create. Throws one API error
 * that names every problem.
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

/** A parameter that is given twice is an array. */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: Readonly<Record<string, unknown>>,
): z.infer<Schema> {
  // The router's object has no prototype; the schema expects a plain object.
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

export const invalidCursor = (): ApiError =>
  new ApiError('invalid_request', 'cursor must be a next_cursor of this list');

/** Reports wrong types and unknown fields first, and broken rules only if there are none. */
function throwIfInvalid(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const shapeProblems = problems.filter((problem) => problem.kind === 'shape');
  throw new ApiError(
    'invalid_request',
    formatProblems(shapeProblems.length > 0 ? shapeProblems : problems),
  );
}
