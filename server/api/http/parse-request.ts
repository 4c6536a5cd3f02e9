/**
 * Parses bodies and queries by their schemas, on every endpoint but create. Throws one API error
 * that names every problem.
 */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { formatPath } from '@vidgen/contract/format-value.ts';
import { metadataProblem, splitMetadataQuery } from '@vidgen/contract/metadata.ts';
import {
  formatProblems,
  type Problem,
  problemsOf,
  shapeProblemsOf,
} from '@vidgen/contract/problem.ts';
import { textProblem } from '@vidgen/contract/text.ts';
import type { z } from 'zod';

export function parseBody<Schema extends z.ZodObject>(
  schema: Schema,
  body: unknown,
): z.infer<Schema> {
  throwIfInvalid(problemsOf(schema, body));
  return schema.parse(body);
}

/**
 * A parameter that is given twice is an array. `metadata[key]=value` becomes the field `metadata`
 * where the schema has one.
 */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: Readonly<Record<string, unknown>>,
): z.infer<Schema> {
  // The router's object has no prototype; the schema expects a plain object.
  const plain = 'metadata' in schema.shape ? withMetadata(query) : { ...query };
  throwIfInvalid(
    Object.keys(schema.shape)
      .filter((name) => name !== 'metadata')
      .flatMap((name) => valueProblems([name], plain[name])),
  );
  throwIfInvalid(problemsOf(schema, plain));
  const parsed = schema.parse(plain);
  // Zod leaves out a key named `__proto__`, which a task may have.
  return 'metadata' in parsed ? { ...parsed, metadata: plain.metadata } : parsed;
}

function withMetadata(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { metadata, rest } = splitMetadataQuery(query);
  if (metadata === undefined) return { ...rest };
  throwIfInvalid(
    Object.entries(metadata).flatMap(([key, value]) => valueProblems(['metadata', key], value)),
  );
  const problem = metadataProblem(metadata);
  if (problem === null) return { ...rest, metadata };
  throw invalidRequest(`metadata ${problem}`);
}

function valueProblems(name: readonly string[], value: unknown): Problem[] {
  const rule = Array.isArray(value) ? 'must be given once' : textProblem(String(value));
  const path = formatPath(name);
  return rule === null ? [] : [{ kind: 'shape', path, message: `${path} ${rule}` }];
}

/** Reports wrong types and unknown fields first, and broken rules only if there are none. */
function throwIfInvalid(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const shapeProblems = shapeProblemsOf(problems);
  throw invalidRequest(formatProblems(shapeProblems.length > 0 ? shapeProblems : problems));
}
