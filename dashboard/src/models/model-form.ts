/** The form of a declaration: texts and figures as they are typed. */
import type { DeclaredModel, Rate } from '@vidgen/contract/model-declaration.ts';
import type { GenerationType } from '@vidgen/contract/models.ts';
import { type Declaration, jsonOf } from './declaration.ts';

type Figure = number | '';
export type PriceRow = { readonly name: string } & { readonly [Name in keyof Rate]-?: Figure };

/** By the names of a declaration, so that errors of the service find their fields. */
export type ModelForm = {
  readonly name: string;
  readonly title: string;
  readonly generationTypes: readonly GenerationType[];
  /** `3–15` or `4, 6, 8`. */
  readonly seconds: string;
  readonly usualSeconds: Figure;
  readonly resolutions: readonly PriceRow[];
  readonly defaultResolution: string;
  /** Empty: all. Lists by generation type are changed as JSON. */
  readonly aspectRatios: NonNullable<DeclaredModel['aspectRatios']>;
  readonly frames: boolean;
  readonly references: typeof noReferences;
  readonly sound: NonNullable<DeclaredModel['sound']>;
  readonly seed: boolean;
  /** `4–30`, of the source; empty: none. */
  readonly editing: string;
  readonly promptCharactersMax: Figure;
  /** JSON. */
  readonly options: string;
  readonly retires: string;
};

export const emptyPrice: PriceRow = {
  name: '',
  perSecond: '',
  perSecondSilent: '',
  perSecondWithVideo: '',
  perInputSecond: '',
  perTask: '',
};
const noReferences = {
  images: '' as Figure,
  videos: '' as Figure,
  audios: '' as Figure,
  total: '' as Figure,
  secondsMax: '' as Figure,
  audioAlone: false,
};

export const newModel: Partial<Declaration> = {
  generationTypes: ['text-to-video'],
  seconds: { min: 3, max: 15, default: 5 },
  resolutions: { '720p': {} },
};

export function formOf(declared: Partial<Declaration>): ModelForm {
  const { seconds = [], editing = false } = declared;
  const sources = editing === true ? { min: 4, max: 30 } : editing;
  return {
    name: declared.name ?? '',
    title: declared.title ?? '',
    generationTypes: declared.generationTypes ?? [],
    seconds: Array.isArray(seconds) ? seconds.join(', ') : rangeText(seconds),
    usualSeconds: Array.isArray(seconds) ? '' : (seconds.default ?? ''),
    resolutions: Object.entries(declared.resolutions ?? {}).map(
      ([name, rate]) => ({ ...emptyPrice, ...rate, name }) as PriceRow,
    ),
    defaultResolution: declared.defaultResolution ?? '',
    aspectRatios: ratiosOf(declared),
    frames: declared.frames?.last ?? false,
    references: { ...noReferences, ...declared.references } as typeof noReferences,
    sound: declared.sound ?? 'optional',
    seed: declared.seed ?? false,
    editing: sources === false ? '' : rangeText(sources),
    promptCharactersMax: declared.promptCharactersMax ?? '',
    options: declared.options ? jsonOf(declared.options) : '',
    retires: declared.retires ?? '',
  };
}

/** One list where all generation types have the same. */
function ratiosOf({ aspectRatios = [], generationTypes = [] }: Partial<Declaration>) {
  if (Array.isArray(aspectRatios)) return aspectRatios;
  const lists = generationTypes.map((type) => aspectRatios[type]);
  const [first = []] = lists;
  return lists.every((list) => String(list) === String(first)) ? first : aspectRatios;
}

const rangeText = ({ min, max }: { readonly min: number; readonly max: number }): string =>
  `${min}–${max}`;

/** `4–30` or `4-30`; null if it is none. */
export function rangeIn(text: string) {
  const [, min, max] = /^\s*(\d+)\s*[-–]\s*(\d+)\s*$/.exec(text) ?? [];
  return max === undefined ? null : { min: Number(min), max: Number(max) };
}

/** What would be lost, or cannot be read; the service checks the rest. */
export const formRules = {
  seconds: (text: string) =>
    rangeIn(text) || /^\s*\d+\s*(,\s*\d+\s*)*$/.test(text)
      ? null
      : 'Enter a range such as 3–15, or a list such as 4, 6, 8',
  resolutions: (rows: readonly PriceRow[]) =>
    new Set(rows.map(({ name }) => name.trim())).size < rows.length
      ? 'Name each resolution once'
      : null,
  editing: (text: string) =>
    text.trim() === '' || rangeIn(text) ? null : 'Enter a range such as 4–30',
  options: (text: string) => {
    try {
      optionsIn(text);
      return null;
    } catch {
      return 'Enter JSON such as {"cfg": {"type": "number", "min": 0, "max": 1}}';
    }
  },
};

const optionsIn = (text: string): unknown => (text.trim() === '' ? '' : JSON.parse(text));
const lengthsIn = (text: string): number[] => text.split(',').map(Number);

/** How long a video is that names no duration, or the shortest one. */
export const sampleSeconds = ({ seconds, usualSeconds }: ModelForm): number =>
  usualSeconds || (rangeIn(seconds)?.min ?? lengthsIn(seconds)[0] ?? 0);

export function declarationIn(form: ModelForm): Declaration {
  const { seconds, usualSeconds, aspectRatios } = form;
  const range = rangeIn(seconds);
  const takes = (type: GenerationType) => form.generationTypes.includes(type);
  const references = takes('reference-to-video') ? withoutEmpty(form.references) : {};
  return withoutEmpty({
    name: form.name.trim(),
    title: form.title.trim(),
    generationTypes: [...form.generationTypes],
    seconds: range ? withoutEmpty({ ...range, default: usualSeconds }) : lengthsIn(seconds),
    resolutions: Object.fromEntries(
      form.resolutions.map(({ name, ...rate }) => [name.trim(), withoutEmpty(rate)]),
    ),
    defaultResolution: form.defaultResolution.trim(),
    aspectRatios: Object.keys(aspectRatios).length > 0 ? aspectRatios : '',
    frames: form.frames && takes('image-to-video') ? { last: true } : '',
    references: Object.keys(references).length > 0 ? references : '',
    sound: form.sound === 'optional' ? '' : form.sound,
    seed: form.seed,
    editing: takes('reference-to-video') ? (rangeIn(form.editing) ?? '') : '',
    promptCharactersMax: form.promptCharactersMax,
    options: optionsIn(form.options),
    retires: form.retires,
  }) as Declaration;
}

export const withoutEmpty = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== false));
