/**
 * Turns schema issues into messages of `invalid_request` that a person can act on. The schemas in
 * this folder define the allowed shapes.
 */
import { z } from 'zod';
import { formatPath, formatValue } from './format-value.ts';
import {
  findOversized,
  findPrototypeEntries,
  isSecret,
  knownPaths,
  schemaAt,
} from './schema-paths.ts';
import { suggestName } from './suggest-name.ts';

/**
 * `shape`: a wrong type or an unknown field; other rules are checked only if there is none.
 * `spelling`: an allowed value in another spelling, reported with either. `rule`: a missing field,
 * or a value of the right type that is not allowed.
 */
export type Problem = {
  readonly kind: 'shape' | 'spelling' | 'rule';
  readonly path: string;
  readonly message: string;
};

export const ruleProblem = (path: string, rule: string): Problem => ({
  kind: 'rule',
  path,
  message: `${path} ${rule}`,
});

/** More than a request has fields; a longer message would help no one. */
const problemsShownMax = 20;

/** Joins all problems into one message. */
export function formatProblems(problems: readonly Problem[]): string {
  const messages = problems.slice(0, problemsShownMax).map((problem) => problem.message);
  const hiddenCount = problems.length - messages.length;
  return [...messages, ...(hiddenCount > 0 ? [`and ${hiddenCount} more`] : [])].join('; ');
}

/** Returns what is reported before the rules are checked; empty if nothing has a wrong shape. */
export const shapeProblemsOf = (problems: readonly Problem[]): Problem[] =>
  problems.some(({ kind }) => kind === 'shape')
    ? problems.filter(({ kind }) => kind !== 'rule')
    : [];

/** Returns every violation of the schema, one per path; empty if there is none. */
export function problemsOf(schema: z.ZodObject, value: unknown): Problem[] {
  const oversized = findOversized(schema, value);
  if (oversized.length > 0) return oversized.map(oversizedProblem);
  const problems = new Map<string, Problem>();
  for (const path of findPrototypeEntries(schema, value).map(formatPath)) {
    problems.set(path, { kind: 'shape', path, message: `${path} is not a known field` });
  }
  for (const issue of schema.safeParse(value).error?.issues ?? []) {
    for (const problem of problemsOfIssue(schema, issue, value)) {
      // Several issues of one path get more and more specific; the last one is the most useful.
      problems.set(problem.path, problem);
    }
  }
  return [...problems.values()];
}

type Issue = z.core.$ZodIssue;

function problemsOfIssue(schema: z.ZodObject, issue: Issue, value: unknown): Problem[] {
  if (issue.code === 'unrecognized_keys') return unknownFields(schema, issue);
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
  // Zod reports a number in place of a string enum as an invalid value; to a client it is a wrong
  // type.
  if (issue.code !== 'invalid_value') return 'rule';
  if (typeof received !== typeof issue.values[0]) return 'shape';
  return valueHint(issue.values, received) === '' ? 'rule' : 'spelling';
}

function missingRule(issue: Issue): string {
  if (issue.code === 'custom') return issue.message;
  return issue.code === 'invalid_value' ? `is required: ${oneOf(issue.values)}` : 'is required';
}

const oneOf = (values: readonly unknown[]): string =>
  `${values.length === 1 ? '' : 'one of '}${values.map(String).join(', ')}`;

/** A schema's own message, if any, is a rule such as "must not be empty". */
function ruleOf(schema: z.ZodObject, issue: Issue, received: unknown): string {
  const part = schemaAt(schema, issue.path);
  // Some clients send null for "nothing".
  const omitted = received === null && part?.isOptional ? ', or omitted' : '';
  const got = isSecret(part?.schema) ? omitted : `${omitted} (got ${formatValue(received)})`;
  switch (issue.code) {
    case 'invalid_type':
      return [
        `must be ${typeLabel(part?.schema, issue.expected)}${got}`,
        numberHint(part?.schema, received),
      ].join('');
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}${got}${valueHint(issue.values, received)}`;
    case 'invalid_union':
      return 'options' in issue && issue.options
        ? `must be ${oneOf(issue.options)}${got}${valueHint(issue.options, received)}`
        : `${issue.message}${got}`;
    case 'too_small':
      return `must ${boundText(issue.origin, `at least ${issue.minimum}`)}${got}`;
    case 'too_big':
      return `must ${boundText(issue.origin, `at most ${issue.maximum}`)}${got}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? issue.message;
    case 'custom':
      // A rule between the fields of an object.
      return typeof received === 'object' ? issue.message : `${issue.message}${got}`;
    default:
      return `${issue.message}${got}`;
  }
}

const didYouMean = (value: string): string => `, did you mean ${value}?`;

/** Suggests the number that was sent as text: `"5s"` is 5. */
function numberHint(part: unknown, received: unknown): string {
  if (part instanceof z.ZodNullable || part instanceof z.ZodOptional) {
    return numberHint(part.unwrap(), received);
  }
  if (!(part instanceof z.ZodNumber) || typeof received !== 'string') return '';
  const [number] = /^-?\d{1,10}(?=[ a-z]{0,10}$)/i.exec(received.trim()) ?? [];
  return number === undefined ? '' : didYouMean(String(Number(number)));
}

/** For another spelling of an allowed value: `vidgen-2.5`, `720`, `16x9`. Empty if it is none. */
export function valueHint(values: readonly unknown[], received: unknown): string {
  if (typeof received !== 'string' && typeof received !== 'number') return '';
  const sent = spellingOf(received);
  const found = values.find((value) => [sent, `${sent}p`].includes(spellingOf(value)));
  return sent === '' || found === undefined ? '' : didYouMean(String(found));
}

/** Letters and digits only, and the 2 of `text2video` as a word; `x` separates two numbers. */
const spellingOf = (value: unknown): string =>
  String(value)
    .slice(0, 80)
    .toLowerCase()
    .replace(/(?<=\d)x(?=\d)/g, '')
    .replace(/(?<=[a-z])2(?=[a-z])/g, 'to')
    .replace(/[^a-z0-9]/g, '');

/** Reads the schema and not the issue: for text in place of an integer, Zod says "number". */
function typeLabel(part: unknown, expected: string): string {
  if (part instanceof z.ZodNullable || part instanceof z.ZodOptional) {
    return typeLabel(part.unwrap(), expected);
  }
  if (part instanceof z.ZodNumber) return part.isInt ? 'an integer' : 'a number';
  if (part instanceof z.ZodArray && part.element instanceof z.ZodString)
    return 'an array of strings';
  if (part instanceof z.ZodBoolean) return 'true or false';
  if (expected === 'record') return 'an object';
  return /^[aeio]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function boundText(origin: string, bound: string): string {
  if (origin === 'string' && bound === 'at least 1') return 'not be empty';
  if (origin === 'string') return `have ${bound} characters`;
  return origin === 'array' ? `contain ${bound}` : `be ${bound}`;
}

function oversizedProblem(oversized: ReturnType<typeof findOversized>[number]): Problem {
  const path = formatPath(oversized.path);
  const { max, count } = oversized;
  const message = `${path || 'the body'} must contain at most ${max} items (got ${count})`;
  return { kind: 'shape', path, message };
}

/** The known fields of an object are listed once, with the first field that has no suggestion. */
function unknownFields(
  schema: z.ZodObject,
  { path: parent, keys }: { readonly path: PropertyKey[]; readonly keys: string[] },
): Problem[] {
  const parentPath = parent.map(String).join('.');
  const isSibling = (known: string) =>
    known.slice(0, Math.max(0, known.lastIndexOf('.'))) === parentPath;
  const known = knownPaths(schema);
  const siblings = known.filter(isSibling);
  // A known name in another object is the best suggestion: `duration` is `input.duration`.
  const elsewhere = known.filter((candidate) => !isSibling(candidate));
  const names = siblings.map((candidate) => candidate.slice(candidate.lastIndexOf('.') + 1));
  // Fields of objects in lists are not known by name.
  let listed = names.length === 0 ? '' : `, known fields: ${names.join(', ')}`;
  return keys.map((key) => {
    const suggestion = suggestName(key, [...siblings, ...elsewhere]);
    const advice = suggestion === null ? listed : didYouMean(suggestion);
    if (suggestion === null) listed = '';
    const field = formatPath([...parent, key]);
    return { kind: 'shape', path: field, message: `${field} is not a known field${advice}` };
  });
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
