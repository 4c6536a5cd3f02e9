/**
 * What is wrong with a value, in words a person can act on. The schemas of this folder are the
 * truth about shapes; here their issues become the sentences of `invalid_request`.
 */
import { z } from 'zod';
import { formatPath, formatValue } from './format-value.ts';
import { findOversized, isSecret, knownPaths, schemaAt } from './schema-paths.ts';
import { suggestName } from './suggest-name.ts';

/**
 * `shape`: a wrong type or an unknown field. While there is one, nothing else can be judged.
 * `rule`: a missing field, or a value of the right type that is not allowed.
 */
export type Problem = {
  readonly kind: 'shape' | 'rule';
  readonly path: string;
  readonly message: string;
};

/** More than all fields of a request together; past it a message helps nobody. */
const problemsShownMax = 20;

/** All problems as one sentence. */
export function formatProblems(problems: readonly Problem[]): string {
  const messages = problems.slice(0, problemsShownMax).map((problem) => problem.message);
  const hiddenCount = problems.length - messages.length;
  return [...messages, ...(hiddenCount > 0 ? [`and ${hiddenCount} more`] : [])].join('; ');
}

/** Every way the value breaks the schema, each path once. Empty when there is none. */
export function problemsOf(schema: z.ZodObject, value: unknown): Problem[] {
  const oversized = findOversized(schema, value);
  if (oversized.length > 0) return oversized.map(oversizedProblem);
  const parsed = schema.safeParse(value);
  if (parsed.success) return [];
  const problems = new Map<string, Problem>();
  for (const issue of parsed.error.issues) {
    for (const problem of problemsOfIssue(schema, issue, value)) {
      // Several issues of one path tell ever narrower bounds: the last is the one to act on.
      problems.set(problem.path, problem);
    }
  }
  return [...problems.values()];
}

type Issue = z.core.$ZodIssue;

function problemsOfIssue(schema: z.ZodObject, issue: Issue, value: unknown): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownField(schema, [...issue.path, key]));
  }
  const received = valueAt(value, issue.path);
  const path = formatPath(issue.path);
  if (path === '') {
    const message = `the body must be a JSON object (got ${formatValue(received)})`;
    return [{ kind: 'shape', path, message }];
  }
  const rule = received === undefined ? missingRule(issue) : ruleOf(schema, issue, received);
  return [{ kind: kindOf(issue, received), path, message: `${path} ${rule}` }];
}

function kindOf(issue: Issue, received: unknown): Problem['kind'] {
  if (received === undefined) return 'rule';
  if (issue.code === 'invalid_type' || issue.code === 'invalid_union') return 'shape';
  // Zod calls a number where a word is due a bad value; to a client it is a wrong type.
  const isOtherType = issue.code === 'invalid_value' && typeof received !== typeof issue.values[0];
  return isOtherType ? 'shape' : 'rule';
}

const missingRule = (issue: Issue): string =>
  issue.code === 'invalid_value' ? `is required: ${oneOf(issue.values)}` : 'is required';

const oneOf = (values: readonly unknown[]): string =>
  `${values.length === 1 ? '' : 'one of '}${values.map(String).join(', ')}`;

/** A schema's own message, where it has one, is the end of a sentence: "must not be empty". */
function ruleOf(schema: z.ZodObject, issue: Issue, received: unknown): string {
  const part = schemaAt(schema, issue.path);
  // A client that knows null as "nothing" is told what nothing is here.
  const omitted = received === null && part?.isOptional ? ', or omitted' : '';
  const got = isSecret(part?.schema) ? omitted : `${omitted} (got ${formatValue(received)})`;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeLabel(part?.schema, issue.expected)}${got}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}${got}`;
    case 'too_small':
      return `must ${boundText(issue.origin, `at least ${issue.minimum}`)}${got}`;
    case 'too_big':
      return `must ${boundText(issue.origin, `at most ${issue.maximum}`)}${got}`;
    default:
      return `${issue.message}${got}`;
  }
}

/** By the schema rather than the issue: of text where an integer is due, Zod says "number". */
function typeLabel(part: unknown, expected: string): string {
  if (part instanceof z.ZodNumber) return part.isInt ? 'an integer' : 'a number';
  if (part instanceof z.ZodArray && part.element instanceof z.ZodString)
    return 'an array of strings';
  if (part instanceof z.ZodBoolean) return 'true or false';
  return /^[aeio]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function boundText(origin: string, bound: string): string {
  if (origin === 'string' && bound === 'at least 1') return 'not be empty';
  if (origin === 'string') return `have ${bound} characters`;
  return origin === 'array' ? `hold ${bound}` : `be ${bound}`;
}

function oversizedProblem(oversized: ReturnType<typeof findOversized>[number]): Problem {
  const path = formatPath(oversized.path);
  const { max, count } = oversized;
  const message = `${path || 'the body'} must hold at most ${max} (got ${count})`;
  return { kind: 'shape', path, message };
}

function unknownField(schema: z.ZodObject, path: readonly PropertyKey[]): Problem {
  const parentPath = path.slice(0, -1).map(String).join('.');
  const isSibling = (known: string) =>
    known.slice(0, Math.max(0, known.lastIndexOf('.'))) === parentPath;
  const known = knownPaths(schema);
  const siblings = known.filter(isSibling);
  // A known name in the wrong object is the nearest of all: `duration` is `input.duration`.
  const elsewhere = known.filter((candidate) => !isSibling(candidate));
  const suggestion = suggestName(String(path.at(-1)), [...siblings, ...elsewhere]);
  const names = siblings.map((candidate) => candidate.slice(candidate.lastIndexOf('.') + 1));
  const advice =
    suggestion === null ? `known are ${names.join(', ')}` : `did you mean ${suggestion}?`;
  const field = formatPath(path);
  return { kind: 'shape', path: field, message: `${field} is not a known field, ${advice}` };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part))
      return undefined;
    found = (found as Record<PropertyKey, unknown>)[part];
  }
  return found;
}
