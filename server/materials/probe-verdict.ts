/**
 * The result of probing a material, and its messages. A violation is proven only by the bytes of a
 * 2xx response; an unreachable material is no violation (Decision 0001, "Material checks at
 * creation").
 */

import type { Size } from '@vidgen/renderer/size.ts';
import { acceptedFormats } from './file-type.ts';
import type { MaterialKind } from './material.ts';
import type { UnreachableReason } from './unreachable.ts';

export type ProbeVerdict =
  /** Seconds to a tenth; null for an image. */
  | {
      readonly outcome: 'valid';
      readonly seconds: number | null;
      /** False if `seconds` is only what the header says: good for a limit, not for a price. */
      readonly isMeasured: boolean;
      /** Of an image, such as `HEIC`: not every provider takes every format. */
      readonly imageFormat?: string;
    }
  /** `rule` follows the field's path in a message. */
  | { readonly outcome: 'invalid'; readonly rule: string }
  | { readonly outcome: 'unreachable'; readonly reason: UnreachableReason };

/**
 * Rounded to a tenth of a second: containers and encoders are no more exact, and ten clips of 3 s
 * are 30 s in total.
 */
export const valid = (seconds: number | null, { isMeasured = true } = {}): ProbeVerdict => ({
  outcome: 'valid',
  seconds: seconds === null ? null : roundToTenth(seconds),
  isMeasured,
});

/** `name` as in `FileType`: "a HEIC image". */
export const validImage = (name: string): ProbeVerdict => ({
  outcome: 'valid',
  seconds: null,
  isMeasured: true,
  imageFormat: name.replace(/^an? | image$/g, ''),
});

export const roundToTenth = (seconds: number): number => Math.round(seconds * 10) / 10;

const nouns: Readonly<Record<MaterialKind, string>> = {
  image: 'an image',
  video: 'a video',
  audio: 'an audio file',
};

const mebibyte = 1024 ** 2;
/** Rounded up, so that a size over the limit is not shown as the limit. */
const formatMebibytes = (bytes: number): string => `${Math.ceil((bytes / mebibyte) * 10) / 10} MiB`;

export function tooLarge(
  kind: MaterialKind,
  { bytes, bytesMax }: { readonly bytes: number | null; readonly bytesMax: number },
): ProbeVerdict {
  const size = bytes === null ? `over ${formatMebibytes(bytesMax)}` : formatMebibytes(bytes);
  const rule = `is ${size}; ${nouns[kind]} must be at most ${formatMebibytes(bytesMax)}`;
  return { outcome: 'invalid', rule };
}

/** `description` completes "it is …". */
export const unreadable = (kind: MaterialKind, description: string): ProbeVerdict => ({
  outcome: 'invalid',
  rule: `is not ${nouns[kind]} we can read: it is ${description}; use ${acceptedFormats[kind]}`,
});

/** 200 MB once decoded; a file of a few kilobytes can claim a thousand times as much. */
const pixelsMax = 48_000_000;

/** Null if the image is small enough. */
export function tooManyPixels({ width, height }: Size): ProbeVerdict | null {
  if (width * height <= pixelsMax) return null;
  const rule = `is ${width} x ${height} pixels; an image must have at most 48 million pixels`;
  return { outcome: 'invalid', rule };
}

const mustBePublic = 'it must be publicly reachable';
const checkHost = 'check what its host sends';

/** The reason and what to do. No text comes from the host. */
const reasons: Readonly<
  Record<Exclude<UnreachableReason, `status ${number}`>, readonly [why: string, remedy: string]>
> = {
  refused_address: ['it leads to an address that is not public', mustBePublic],
  dns: ['its host name does not resolve', mustBePublic],
  connect: ['its host does not respond', mustBePublic],
  silent_host: ['its host did not respond within the last minute', mustBePublic],
  tls: ['its host has no valid certificate', mustBePublic],
  timeout: ['it did not respond in time', mustBePublic],
  closed: ['its host ended the connection early', checkHost],
  protocol: ['its host sends invalid HTTP', checkHost],
  redirects: ['it redirects more than 3 times', checkHost],
  encoded: ['its host sends it compressed', 'it must be sent uncompressed'],
  inconsistent: ['its host handles range requests incorrectly', checkHost],
  budget: ['its index is too far into the file', 're-encode it with the index first (faststart)'],
  not_measured: ['its duration could not be read in time', 'try again or re-encode it'],
  no_slot: ['too many requests to its host are in progress', 'try again'],
  no_turn: ['too many materials are being checked', 'try again'],
  cancelled: ['the service is stopping', 'try again'],
};

export function unreachableMessage(reason: UnreachableReason): string {
  const [why, remedy] = reason.startsWith('status ')
    ? [`its host responds with ${reason}`, mustBePublic]
    : reasons[reason as keyof typeof reasons];
  return `could not be checked: ${why}; ${remedy}`;
}
