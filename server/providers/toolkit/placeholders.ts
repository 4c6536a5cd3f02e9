/**
 * Values of a task in a template of the operator's: `{{prompt}}`, `{{seed}}`. A template is filled
 * as data, never as text, so nothing that a customer writes can add a field, a node or a path.
 */

export type PlaceholderValue = string | number | boolean | readonly string[];
/** Undefined: this task has no such value. */
export type PlaceholderValues = Readonly<Record<string, PlaceholderValue | undefined>>;

const anyPlaceholder = /\{\{([^{}]*)\}\}/g;
const onePlaceholder = /^\{\{([^{}]*)\}\}$/;

/** In an element of a list: repeats it for every value of a list, each as `{{item}}`. */
export const eachKey = '{{each}}';

/** Every name that stands in double braces in a value, known or not, each once. */
export function placeholdersIn(template: unknown): Set<string> {
  const names = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      for (const [, name] of value.matchAll(anyPlaceholder)) names.add(name!.trim());
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  walk(template);
  return names;
}

/** Names that stand where nothing is ever filled in: in the key of an object. */
export function placeholdersInKeys(template: unknown): string[] {
  if (typeof template !== 'object' || template === null) return [];
  const here = Array.isArray(template)
    ? []
    : Object.keys(template).filter((key) => /\{\{/.test(key) && key !== eachKey);
  return [...here, ...Object.values(template).flatMap(placeholdersInKeys)];
}

/**
 * A string that is one placeholder becomes the value with its type; within a longer string it is
 * text. What names a value that the task does not have is left out: the field of an object, or
 * the whole element of a list, since half an element means nothing.
 */
export function fillTemplate(template: unknown, values: PlaceholderValues): unknown {
  if (typeof template === 'string') return fillText(template, values);
  if (Array.isArray(template)) {
    return template.flatMap((element) => fillElement(element, values));
  }
  if (typeof template !== 'object' || template === null) return template;
  const filled = Object.entries(template).map(
    ([key, value]) => [key, fillTemplate(value, values)] as const,
  );
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

function fillElement(element: unknown, values: PlaceholderValues): unknown[] {
  if (!repeats(element)) return lacks(element, values) ? [] : [fillTemplate(element, values)];
  const { [eachKey]: list, ...once } = element;
  const items = fillTemplate(list, values);
  return (Array.isArray(items) ? items : []).flatMap((item: string) =>
    fillElement(once, { ...values, item }),
  );
}

const repeats = (element: unknown): element is Record<string, unknown> =>
  typeof element === 'object' && element !== null && Object.hasOwn(element, eachKey);

/** Lists within an element leave out for themselves what they lack. */
function lacks(element: unknown, values: PlaceholderValues): boolean {
  if (typeof element === 'string') {
    return [...placeholdersIn(element)].some((name) => values[name] === undefined);
  }
  if (typeof element !== 'object' || element === null || Array.isArray(element)) return false;
  return Object.values(element).some((value) => lacks(value, values));
}

function fillText(text: string, values: PlaceholderValues): PlaceholderValue | undefined {
  const [, alone] = onePlaceholder.exec(text) ?? [];
  if (alone !== undefined) return values[alone.trim()];
  if (lacks(text, values)) return undefined;
  // In one pass: braces that a customer wrote are not looked at again.
  return text.replace(anyPlaceholder, (_, name: string) => String(values[name.trim()]));
}
