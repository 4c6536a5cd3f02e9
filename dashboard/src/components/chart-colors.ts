/** The colors of charts, and which of them a model has. */
import { modelNames } from '@vidgen/contract/models.ts';

export const chartColors = [
  'indigo.6',
  'teal.6',
  'orange.6',
  'grape.6',
  'cyan.6',
  'pink.6',
  'lime.7',
  'yellow.6',
  'gray.6',
] as const;

const contractModels: readonly string[] = modelNames;

/**
 * Colors of the models of one chart. A model has one color on every page where no other model of
 * the chart has it: those of the contract come first, then the others by name.
 */
export function modelColors(models: readonly string[]): ReadonlyMap<string, string> {
  const listed = contractModels.filter((model) => models.includes(model));
  const declared = models.filter((model) => !contractModels.includes(model)).toSorted();
  const colors = new Map<string, string>();
  for (const model of [...listed, ...declared]) {
    const taken = new Set(colors.values());
    const usual = usualColor(model);
    const ordered = [...chartColors.slice(usual), ...chartColors.slice(0, usual)];
    colors.set(model, ordered.find((color) => !taken.has(color)) ?? ordered[0]!);
  }
  return colors;
}

function usualColor(model: string): number {
  const listed = contractModels.indexOf(model);
  const letters = [...model].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  return (listed < 0 ? letters : listed) % chartColors.length;
}
