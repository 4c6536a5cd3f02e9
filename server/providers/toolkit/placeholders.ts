/**
 * Fills templates of the configuration with the values of a task: `{{prompt}}`, `{{seed}}`. A
 * template is filled as data, never as text, so that a customer's text cannot add a field, node or
 * path.
 */

type PlaceholderValue = string | number | boolean | readonly string[];
/** Undefined when the task has no such value. */
export type PlaceholderValues = Readonly<Record<string, PlaceholderValue | undefined>>;

export type FillOptions = {
  /**
   * Omits a list without elements, and an object of which no placeholder has a value, with its
   * constants: an image without its URL would be refused.
   */
  readonly omitEmpty?: boolean;
};

const anyPlaceholder = /\{\{([^{}]*)\}\}/g;
const onePlaceholder = /^\{\{([^{}]*)\}\}$/;

/** Repeats an element of a list for every value of a list, each as `{{item}}`. */
const eachKey = '{{each}}';

/** `{{seconds|text}}` sends a number as text; the others send a part of a data URL. */
const formats = new Map<string, (value: PlaceholderValue) => string>([
  ['text', String],
  ['base64', (value) => String(value).slice(String(value).indexOf(',') + 1)],
  ['media_type', (value) => String(value).slice('data:'.length).split(';', 1)[0]!],
]);

/** Anything but a format after a name is part of the name. */
function parse(inner: string) {
  const [name = '', after = '', ...rest] = inner.split('|');
  const format = rest.length === 0 ? formats.get(after.trim()) : undefined;
  return { name: (format ? name : inner).trim(), format };
}

/** Of templates of the configuration, which do not change and are read again for each task. */
const knownNames = new WeakMap<object, ReadonlySet<string>>();

/** Returns the names of all placeholders in values, known or not. */
export function placeholdersIn(template: unknown): ReadonlySet<string> {
  const isObject = typeof template === 'object' && template !== null;
  const known = isObject ? knownNames.get(template) : undefined;
  if (known) return known;
  const names = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      for (const [, inner] of value.matchAll(anyPlaceholder)) names.add(parse(inner!).name);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  walk(template);
  if (isObject) knownNames.set(template, names);
  return names;
}

/** The end of a message that begins with the setting. */
export const unknownPlaceholder = (name: string, known: readonly string[]): string =>
  `has an unknown placeholder {{${name}}}. Known are ${known.map((one) => `{{${one}}}`).join(' ')}`;

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
export function fillTemplate(
  template: unknown,
  values: PlaceholderValues,
  options: FillOptions = {},
): unknown {
  if (typeof template === 'string') return fillText(template, values);
  if (Array.isArray(template)) {
    const elements = template.flatMap((element) => fillElement(element, values, options));
    return options.omitEmpty && elements.length === 0 ? undefined : elements;
  }
  if (typeof template !== 'object' || template === null) return template;
  if (options.omitEmpty && lacksAll(template, values)) return undefined;
  const filled = Object.entries(template).map(
    ([key, value]) => [key, fillTemplate(value, values, options)] as const,
  );
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

function fillElement(element: unknown, values: PlaceholderValues, options: FillOptions): unknown[] {
  if (!repeats(element)) {
    return lacks(element, values) ? [] : [fillTemplate(element, values, options)];
  }
  const { [eachKey]: list, ...once } = element;
  const items = fillTemplate(list, values);
  return (Array.isArray(items) ? items : []).flatMap((item: string) =>
    fillElement(once, { ...values, item }, options),
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

/** An object without placeholders is constant and lacks nothing. */
function lacksAll(template: object, values: PlaceholderValues): boolean {
  const names = [...placeholdersIn(template)];
  return names.length > 0 && names.every((name) => values[name] === undefined);
}

function fillText(text: string, values: PlaceholderValues): PlaceholderValue | undefined {
  const [, alone] = onePlaceholder.exec(text) ?? [];
  if (alone !== undefined) {
    const { name, format } = parse(alone);
    const value = values[name];
    return format && value !== undefined ? format(value) : value;
  }
  if (lacks(text, values)) return undefined;
  // In one pass, so that braces in a customer's text are not filled.
  return text.replace(anyPlaceholder, (_, inner: string) => String(values[parse(inner).name]));
}
