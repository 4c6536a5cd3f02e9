/**
 * A request whose types are right but whose values are not judged yet: fields may be missing and
 * words may be unknown. What cannot be known is null, and a rule that needs it stays silent,
 * because the schema has already told what is wrong there.
 */
import { type GenerationInput, generationDefaults } from '@vidgen/contract/create-generation.ts';
import {
  type GenerationType,
  generationTypes,
  type ModelName,
  modelNames,
} from '@vidgen/contract/models.ts';
import type { Problem } from '@vidgen/contract/problem.ts';
import { type ModelLimits, models } from './models.ts';

/** Says whether we would ever call or fetch an address; the rule is the end of a sentence. */
export type CheckUrl = (
  text: string,
  kind: 'callback' | 'material',
) => { readonly ok: true } | { readonly ok: false; readonly rule: string };

export const materialLists = ['image_urls', 'video_urls', 'audio_urls'] as const;
export type MaterialList = (typeof materialLists)[number];

export type Draft = {
  /** As sent; undefined when missing. */
  readonly modelName: string | undefined;
  /** Null unless it is a model of the contract. */
  readonly model: ModelName | null;
  readonly limits: ModelLimits | null;
  /** After the default; null when it is no mode of the contract. */
  readonly generationType: GenerationType | null;
  readonly callbackUrl: string | undefined;
  /** The fields of `input`; words may be any word. */
  readonly input: {
    readonly [Name in keyof GenerationInput]?: GenerationInput[Name] extends string | undefined
      ? string
      : GenerationInput[Name];
  };
  readonly materials: Readonly<Record<MaterialList, readonly string[]>>;
};

export function draftOf(body: unknown): Draft {
  const {
    model,
    callback_url,
    input = {},
  } = body as {
    readonly model?: string;
    readonly callback_url?: string;
    readonly input?: Draft['input'];
  };
  const knownModel = modelNames.find((name) => name === model) ?? null;
  const type = input.generation_type ?? generationDefaults.generation_type;
  return {
    modelName: model,
    model: knownModel,
    limits: knownModel && models[knownModel].limits,
    generationType: generationTypes.find((name) => name === type) ?? null,
    callbackUrl: callback_url,
    input,
    materials: {
      image_urls: input.image_urls ?? [],
      video_urls: input.video_urls ?? [],
      audio_urls: input.audio_urls ?? [],
    },
  };
}

/** Which lists a mode looks at; the others are accepted and ignored (Spec 4.3.1 and 4.3.2). */
export const usedMaterials = {
  'text-to-video': [],
  'image-to-video': ['image_urls'],
  'reference-to-video': materialLists,
} as const satisfies Record<GenerationType, readonly MaterialList[]>;

export function isUsed(draft: Draft, list: MaterialList): boolean {
  const used: readonly MaterialList[] =
    draft.generationType === null ? [] : usedMaterials[draft.generationType];
  return used.includes(list);
}

/** An empty list is the default: nothing of it is ignored. */
export const ignoredMaterials = (draft: Draft): MaterialList[] =>
  materialLists.filter((list) => !isUsed(draft, list) && draft.materials[list].length > 0);

/** A broken rule of a field. */
export const ruleProblem = (path: string, rule: string): Problem => ({
  kind: 'rule',
  path,
  message: `${path} ${rule}`,
});
