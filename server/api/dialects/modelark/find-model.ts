/** Names of models in ModelArk's API: ours, and the operator's aliases. */
import { type ModelName, modelNames } from '@vidgen/contract/models.ts';
import type { Catalog } from '../../../catalog/catalog.ts';

export const findModel = ({ aliases }: Catalog, name: string): ModelName | undefined =>
  modelNames.find((model) => model === name) ?? aliases.get(name);
