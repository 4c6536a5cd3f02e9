/** The color of a model, the same in every chart. */
import { type ModelName, modelNames } from '@vidgen/contract/models.ts';

export const chartColors = [
  'indigo.6',
  'teal.6',
  'orange.6',
  'grape.6',
  'cyan.6',
  'pink.6',
  'lime.7',
] as const;

/** By the place in the list of models, which only grows at its end. */
export function modelColor(model: string): string {
  const index = modelNames.indexOf(model as ModelName);
  return index < 0 ? 'gray.6' : (chartColors[index % chartColors.length] ?? 'gray.6');
}
