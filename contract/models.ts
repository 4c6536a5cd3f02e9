/**
 * Names in the contract: models, generation types, aspect ratios and resolutions (docs/spec.md
 * 2.2). Limits and prices by model are data in the server's catalog.
 */

/** The models of the contract. An installation may serve others, which its operator declares. */
export const modelNames = [
  'vidgen-2-5',
  'vidgen-2-0',
  'vidgen-2-0-fast',
  'vidgen-2-0-mini',
] as const;
/** Of the contract or declared: the server's catalog knows which there are. */
export type ModelName = string;
/** `kling-3` or `acme/tiny`. */
export const modelNamePattern = /^[a-z0-9][a-z0-9._-]{0,63}(\/[a-z0-9][a-z0-9._-]{0,63})?$/;

export const generationTypes = ['text-to-video', 'image-to-video', 'reference-to-video'] as const;
export type GenerationType = (typeof generationTypes)[number];

export const aspectRatios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'] as const;
export type AspectRatio = (typeof aspectRatios)[number];

/** The resolutions of the contract. */
export const resolutions = ['480p', '720p', '1080p', '4k'] as const;
/** Of the contract or declared. */
export type Resolution = string;
/** By the shorter side in pixels, or by thousands of the longer one. */
export const resolutionPattern = /^([1-9]\d{2,3}p|[248]k)$/;

/** Live keys spend live credits at real providers; test keys spend test credits on previews. */
export const keyModes = ['live', 'test'] as const;
export type KeyMode = (typeof keyModes)[number];

/** The period of a key's spending cap: days and months in UTC, or all of the key's life. */
export const spendingPeriods = ['day', 'month', 'total'] as const;
export type SpendingPeriod = (typeof spendingPeriods)[number];

export const permissions = ['videos:create', 'tasks:read', 'tasks:cancel', 'tasks:delete'] as const;
export type Permission = (typeof permissions)[number];
