/**
 * Options of declared models as placeholders of the configuration: `{{options.cfg}}`. An option
 * without a place at the provider is refused, as it would have no effect.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { withoutParameters } from './generation-input.ts';
import { fillTemplate, type PlaceholderValues, placeholdersIn } from './placeholders.ts';

const prefix = 'options.';

export const isOptionPlaceholder = (name: string): boolean =>
  /^options\.[a-z][a-z0-9_]{0,31}$/.test(name);

/** Text is sent without parameters, as a prompt is. */
export const optionValues = ({ options = {} }: Pick<Generation, 'options'>): PlaceholderValues =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      prefix + name,
      typeof value === 'string' ? withoutParameters(value) : value,
    ]),
  );

/** The names of the options that a configuration has places for. */
export const optionsIn = (configuration: unknown): ReadonlySet<string> =>
  new Set(
    [...placeholdersIn(configuration)]
      .filter(isOptionPlaceholder)
      .map((name) => name.slice(prefix.length)),
  );

/** Returns why an option cannot be sent, as a message for the customer, or null. */
export function unsupportedOption(
  { options = {} }: Pick<Generation, 'options'>,
  places: ReadonlySet<string>,
): string | null {
  const name = Object.keys(options).find((one) => !places.has(one));
  return name === undefined ? null : `input.options.${name} is not supported`;
}

export type ConstantFields = Readonly<Record<string, string | number | boolean>>;

/** Fields of the configuration; one whose option was not sent is left out. */
export const fillFields = (fields: ConstantFields, generation: Generation): ConstantFields =>
  fillTemplate(fields, optionValues(generation)) as ConstantFields;
