/** The search parameters of the usage page. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import { type ModelName, modelNames } from '@vidgen/contract/models.ts';

export const spans = [7, 30, 90] as const;
export const groupings = ['model', 'resolution', 'status', 'key'] as const;
export type Grouping = (typeof groupings)[number];

export type UsageSearch = {
  readonly days: (typeof spans)[number];
  readonly by: Grouping;
  readonly model?: ModelName;
  readonly key?: string;
};

export function usageSearch(search: Partial<UsageSearch> & SearchSchemaInput): UsageSearch {
  const model = modelNames.find((one) => one === search.model);
  return {
    days: spans.find((one) => one === search.days) ?? 30,
    by: groupings.find((one) => one === search.by) ?? 'model',
    ...(model ? { model } : {}),
    ...(typeof search.key === 'string' && search.key !== '' ? { key: search.key } : {}),
  };
}
