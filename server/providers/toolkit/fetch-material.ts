/**
 * How an adapter gets a customer's file to this machine: through the guard, never by telling a
 * server in our own network an address to fetch from inside.
 */
import type { MaterialKind } from '@vidgen/renderer/render-job.ts';

/** Saves what an address holds into a file, through the guard for customers' addresses. */
export type FetchMaterial = (request: {
  readonly url: string;
  readonly kind: MaterialKind;
  readonly into: string;
  /** A longer answer is not saved. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}) => Promise<{ readonly saved: boolean }>;

/** Bytes at the most. */
export type MaterialByteLimits = Readonly<Record<MaterialKind, number>>;

/** What an adapter that uploads files works with. */
export type MaterialOptions = {
  readonly fetchMaterial: FetchMaterial;
  readonly materialBytesMax: MaterialByteLimits;
  /** For files on their way; emptied by whoever put them there. */
  readonly tempFolder: string;
};
