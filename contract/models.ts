/**
 * Names in the contract: models, generation types, aspect ratios and resolutions (docs/spec.md
 * 2.2). Limits and prices by model are data in the server's catalog.
 */
export const modelNames = [
  'vidgen-2-5',
  'vidgen-2-0',
  'vidgen-2-0-fast',
  'vidgen-2-0-mini',
] as const;
export type ModelName = (typeof modelNames)[number];

export const generationTypes = ['text-to-video', 'image-to-video', 'reference-to-video'] as const;
export type GenerationType = (typeof generationTypes)[number];

export const aspectRatios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'] as const;
export type AspectRatio = (typeof aspectRatios)[number];

export const resolutions = ['480p', '720p', '1080p', '4k'] as const;
export type Resolution = (typeof resolutions)[number];

/** Live keys spend live credits at real providers; test keys spend test credits on previews. */
export const keyModes = ['live', 'test'] as const;
export type KeyMode = (typeof keyModes)[number];

/** The period of a key's spending cap: days and months in UTC, or all of the key's life. */
export const spendingPeriods = ['day', 'month', 'total'] as const;
export type SpendingPeriod = (typeof spendingPeriods)[number];

export const permissions = ['videos:create', 'tasks:read', 'tasks:cancel', 'tasks:delete'] as const;
export type Permission = (typeof permissions)[number];
