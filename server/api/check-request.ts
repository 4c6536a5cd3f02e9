/**
 * Bodies and queries of every endpoint but create, judged by their schemas. What comes back has the
 * schema's type; what does not fit is refused in one sentence that names everything wrong with it.
 */
import { type Problem, problemsOf, sentenceOf } from '@vidgen/contract/problem.ts';
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
  const repeated = Object.keys(schema.shape).filter((name) => Array.isArray(query[name]));
  refuse(
    repeated.map((name) => ({ kind: 'shape', path: name, words: `${name} must be given once` })),
  );
  // The server's query object may have no prototype; the schema wants a plain one.
  const plain = { ...query };
  refuse(problemsOf(schema, plain));
  return schema.parse(plain);
}

/** Wrong types and unknown fields first; rules only when there is none of those. */
function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const misshapen = problems.filter((problem) => problem.kind === 'shape');
  throw new Refusal('invalid_request', sentenceOf(misshapen.length > 0 ? misshapen : problems));
}
