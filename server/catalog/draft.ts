/**
 * A request with the right types whose values are not checked yet: fields may be missing and names
 * unknown. Unknown values are null, and rules that need them report nothing, because the schema has
 * already reported the field.
 */
import { type GenerationInput, generationDefaults } from '@vidgen/contract/create-generation.ts';
import { type GenerationType, generationTypes, type ModelName } from '@vidgen/contract/models.ts';
import type { Catalog } from './catalog.ts';
import { contractModels, defaultOf, type Model, type ModelLimits } from './models.ts';

/** Whether egress would request a URL; the rule follows the field's name in a message. */
export type CheckUrl = (
  text: string,
  kind: 'callback' | 'material',
) => { readonly ok: true } | { readonly ok: false; readonly rule: string };

export const materialLists = ['image_urls', 'video_urls', 'audio_urls'] as const;
export type MaterialList = (typeof materialLists)[number];

export type Draft = {
  /** As sent; undefined if missing. */
  readonly modelName: string | undefined;
  /** Null unless it is offered or of the contract, with its limits. */
  readonly model: ModelName | null;
  readonly limits: ModelLimits | null;
  /** After the default of the model; null unless it is a generation type of the contract. */
  readonly generationType: GenerationType | null;
  readonly callbackUrl: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** The fields of `input`; enumerated fields can hold any string. */
  readonly input: {
    readonly [Name in keyof GenerationInput]?: GenerationInput[Name] extends string | undefined
      ? string
      : GenerationInput[Name];
  };
  readonly materials: Readonly<Record<MaterialList, readonly string[]>>;
};

export function draftOf(body: unknown, catalog: Pick<Catalog, 'find'>): Draft {
  const {
    model,
    callback_url,
    input = {},
    metadata,
  } = body as {
    readonly model?: string;
    readonly callback_url?: string;
    readonly input?: Draft['input'];
    readonly metadata?: Draft['metadata'];
  };
  const found = findModel(model ?? '', catalog);
  const type = input.generation_type ?? defaultType(found);
  return {
    modelName: model,
    model: found?.name ?? null,
    limits: found?.limits ?? null,
    generationType: generationTypes.find((name) => name === type) ?? null,
    callbackUrl: callback_url,
    metadata,
    input,
    materials: {
      image_urls: input.image_urls ?? [],
      video_urls: input.video_urls ?? [],
      audio_urls: input.audio_urls ?? [],
    },
  };
}

/** One of the contract that is not offered has its limits all the same, for messages. */
const findModel = (name: string, catalog: Pick<Catalog, 'find'>): Model | undefined =>
  catalog.find(name) ?? contractModels.find((model) => model.name === name);

export const defaultType = (model: Model | undefined): GenerationType =>
  defaultOf(model?.limits.generationTypes ?? generationTypes, generationDefaults.generation_type);

/**
 * The lists that each generation type uses; the others are accepted and ignored (docs/spec.md 4.3.1
 * and 4.3.2).
 */
const usedMaterials = {
  'text-to-video': [],
  'image-to-video': ['image_urls'],
  'reference-to-video': materialLists,
} as const satisfies Record<GenerationType, readonly MaterialList[]>;

export function isUsed(draft: Draft, list: MaterialList): boolean {
  const used: readonly MaterialList[] =
    draft.generationType === null ? [] : usedMaterials[draft.generationType];
  return used.includes(list);
}

/** An empty list is the default and does not count as ignored. */
export const ignoredMaterials = (draft: Draft): MaterialList[] =>
  materialLists.filter((list) => !isUsed(draft, list) && draft.materials[list].length > 0);
