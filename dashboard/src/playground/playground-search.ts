/**
 * The search parameters of the playground: the fields of its form, and the task that is shown.
 * Every visit loads this file, so it must not import the form; `form-url.ts` does.
 */
import type { SearchSchemaInput } from '@tanstack/react-router';
import type { GenerationForm } from './generation-form.ts';

/** What a URL may say, which the catalog may not allow. */
type Unchecked<Value> = Value extends string
  ? string
  : Value extends readonly string[]
    ? readonly string[]
    : Value;

/** `mode` belongs to the account route. */
export type PlaygroundSearch = { readonly task?: string } & {
  readonly [Name in keyof GenerationForm]?: Unchecked<GenerationForm[Name]>;
};

const texts = ['task', 'model', 'type', 'prompt', 'continues'].concat([
  'resolution',
  'aspectRatio',
  'callbackUrl',
]);
const lists = ['images', 'videos', 'audios'];
const numbers = ['duration', 'seed'];
const flags = ['generateAudio', 'watermark', 'webSearch', 'returnLastFrame'];

/** Drops unknown and invalid parameters. Always in the same order. */
export function readSearch(search: Readonly<Record<string, unknown>>): PlaygroundSearch {
  const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number';
  const read = (names: readonly string[], isValid: (value: unknown) => boolean) =>
    names.filter((name) => isValid(search[name])).map((name) => [name, search[name]] as const);
  return Object.fromEntries([
    // Texts were numbers to the router.
    ...read(texts, isText).map(([name, value]) => [name, String(value)]),
    ...read(lists, Array.isArray).map(([name, value]) => [
      name,
      (value as unknown[]).filter(isText).map(String),
    ]),
    ...read(numbers, Number.isFinite),
    ...read(flags, (value) => typeof value === 'boolean'),
    ...read(['options'], isOptions),
  ]);
}

const isOptions = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((one) => ['string', 'number', 'boolean'].includes(typeof one));

export const playgroundSearch = (search: PlaygroundSearch & SearchSchemaInput): PlaygroundSearch =>
  readSearch(search);
