/**
 * Fills templates of the configuration with the values of a task: `{{prompt}}`, `{{seed}}`. A
 * template is filled as data, never as text, so that a customer's text cannot add a field, node or
 * path.
 */

type PlaceholderValue = string | number | boolean | readonly string[];
/** Undefined when the task has no such value. */
export type PlaceholderValues = Readonly<Record<string, PlaceholderValue | undefined>>;

const anyPlaceholder = /\{\{([^{}]*)\}\}/g;
const onePlaceholder = /^\{\{([^{}]*)\}\}$/;

/** Repeats an element of a list for every value of a list, each as `{{item}}`. */
const eachKey = '{{each}}';

/** Returns the names of all placeholders in values, known or not. */
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

/** Returns the placeholders in keys, where nothing is filled in. */
export function placeholdersInKeys(template: unknown): string[] {
  if (typeof template !== 'object' || template === null) return [];
  const here = Array.isArray(template)
    ? []
    : Object.keys(template).filter((key) => /\{\{/.test(key) && key !== eachKey);
  return [...here, ...Object.values(template).flatMap(placeholdersInKeys)];
}

/**
 * A string that is one placeholder becomes the value with its type; inside a longer string the
 * value becomes text. A field without a value is omitted; so is the whole element of a list,
 * because half an element would be meaningless.
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

/** Lists inside an element omit their own elements. */
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
  // In one pass, so that braces in a customer's text are not filled.
  return text.replace(anyPlaceholder, (_, name: string) => String(values[name.trim()]));
}
