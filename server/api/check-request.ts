/**
 * Bodies and queries of every endpoint but create, judged by their schemas. What comes back has the
 * schema's type; what does not fit is refused in one sentence that names everything wrong with it.
 */
import { type Problem, problemsOf, sentenceOf } from '@vidgen/contract/problem.ts';
import { shownPath } from '@vidgen/contract/shown-value.ts';
import { textFault } from '@vidgen/contract/text.ts';
import type { z } from 'zod';
import { Refusal } from '../refusal.ts';

export function checkedBody<Schema extends z.ZodObject>(
  schema: Schema,
  body: unknown,
): z.infer<Schema> {
  refuse(problemsOf(schema, body));
  return schema.parse(body);
}

/** Takes what the HTTP server made of the query string: a parameter given twice is an array. */
export function checkedQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: Readonly<Record<string, unknown>>,
): z.infer<Schema> {
  // The server's query object may have no prototype; the schema wants a plain one.
  const plain = { ...query };
  refuse(Object.keys(schema.shape).flatMap((name) => valueProblems(name, plain[name])));
  refuse(problemsOf(schema, plain));
  return schema.parse(plain);
}

function valueProblems(name: string, value: unknown): Problem[] {
  const fault = Array.isArray(value) ? 'must be given once' : textFault(String(value));
  const path = shownPath([name]);
  return fault === null ? [] : [{ kind: 'shape', path, words: `${path} ${fault}` }];
}

/** A page's `cursor` is refused like any other value that does not fit. */
export const foreignCursor = (): Refusal =>
  new Refusal('invalid_request', 'cursor must be a next_cursor of this list');

/** Wrong types and unknown fields first; rules only when there is none of those. */
function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const misshapen = problems.filter((problem) => problem.kind === 'shape');
  throw new Refusal('invalid_request', sentenceOf(misshapen.length > 0 ? misshapen : problems));
}
