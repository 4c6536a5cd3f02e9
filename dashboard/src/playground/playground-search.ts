/**
 * The search parameters of the playground. Every visit loads this file, so it must not import the
 * form; `form-url.ts` does.
 */
import type { SearchSchemaInput } from '@tanstack/react-router';

/** `mode` belongs to the account route. */
export type PlaygroundSearch = {
  readonly task?: string;
  readonly model?: string;
  readonly type?: string;
  readonly prompt?: string;
  readonly images?: readonly string[];
  readonly videos?: readonly string[];
  readonly audios?: readonly string[];
  readonly duration?: number;
  readonly resolution?: string;
  readonly ratio?: string;
  readonly sound?: boolean;
  readonly watermark?: boolean;
  readonly web?: boolean;
  readonly frame?: boolean;
  readonly seed?: number;
  readonly callback?: string;
  readonly continues?: string;
};

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
const texts = (value: unknown): string[] | undefined => {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((item) => text(item) ?? []);
};
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
const flag = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined;

const readers: { readonly [Name in keyof PlaygroundSearch]-?: (value: unknown) => unknown } = {
  task: text,
  model: text,
  type: text,
  prompt: text,
  images: texts,
  videos: texts,
  audios: texts,
  duration: number,
  resolution: text,
  ratio: text,
  sound: flag,
  watermark: flag,
  web: flag,
  frame: flag,
  seed: number,
  callback: text,
  continues: text,
};

/** Drops unknown and invalid parameters. */
export function readSearch(search: Readonly<Record<string, unknown>>): PlaygroundSearch {
  const read = Object.entries(readers).map(([name, reader]) => [name, reader(search[name])]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

export const playgroundSearch = (search: PlaygroundSearch & SearchSchemaInput): PlaygroundSearch =>
  readSearch(search);
