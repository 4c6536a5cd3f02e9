/** Admin API: the models of the installation, and those that administrators declare. */
import { z } from 'zod';
import { listOf } from './list.ts';
import { DeclaredFields } from './model-declaration.ts';
import { ModelId } from './model-name.ts';
import { Model } from './models-response.ts';

const fields = DeclaredFields.shape;

export const InstalledModel = Model.extend({
  source: z
    .enum(['contract', 'file', 'dashboard'])
    .describe('Where it is declared; only those of the dashboard can be changed here.'),
  declaration: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('As it was declared; null for a model of the contract.'),
  route: z.array(z.string()).describe('Its providers. For administrators.'),
  problems: z
    .array(z.string())
    .describe('What it declares and no provider of its route makes. For administrators.'),
}).meta({ id: 'InstalledModel' });
export type InstalledModel = z.infer<typeof InstalledModel>;

export const InstalledModelsResponse = listOf(InstalledModel)
  .extend({
    live_previews: z
      .array(ModelId)
      .describe('Models without a provider: the built-in preview makes their live tasks.'),
    live_unserved: z
      .array(ModelId)
      .describe('Models that live keys cannot use: only test keys have previews of them.'),
  })
  .meta({ id: 'InstalledModelList' });
export type InstalledModelsResponse = z.infer<typeof InstalledModelsResponse>;

export const ModelNameParams = z.object({ name: z.string().describe('The model.') });

export const DeclareModelRequest = DeclaredFields.extend({ name: ModelId }).meta({
  id: 'DeclareModelRequest',
});

/** Null removes a field. */
export const ChangeModelRequest = z
  .strictObject({
    ...fields,
    title: fields.title.nullable(),
    defaultResolution: fields.defaultResolution.nullable(),
    aspectRatios: fields.aspectRatios.nullable(),
    frames: fields.frames.nullable(),
    references: fields.references.nullable(),
    sound: fields.sound.nullable(),
    seed: fields.seed.nullable(),
    editing: fields.editing.nullable(),
    promptCharactersMax: fields.promptCharactersMax.nullable(),
    options: fields.options.nullable(),
    retires: fields.retires.nullable(),
  })
  .partial()
  .meta({ id: 'ChangeModelRequest' });
