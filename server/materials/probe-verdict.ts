/**
 * What looking at a material led to, and the words for it. A breach is proven by bytes that a 2xx
 * answer sent; whatever was not reached is no breach (Decisions, "Material checks at creation").
 */
import { acceptedFormats } from './file-type.ts';
import type { MaterialKind } from './material.ts';
import type { UnreachableReason } from './unreachable.ts';

export type ProbeVerdict =
  /** Seconds to a tenth; null for an image. */
  | { readonly outcome: 'valid'; readonly seconds: number | null }
  /** `rule` is the end of a sentence that starts with the field's path. */
  | { readonly outcome: 'invalid'; readonly rule: string }
  | { readonly outcome: 'unreachable'; readonly reason: UnreachableReason };

/**
 * To a tenth of a second: containers and encoders do not agree on more, and ten clips of 3 s are
 * 30 s together.
 */
export const valid = (seconds: number | null): ProbeVerdict => ({
  outcome: 'valid',
  seconds: seconds === null ? null : Math.round(seconds * 10) / 10,
});

const nouns: Readonly<Record<MaterialKind, string>> = {
  image: 'an image',
  video: 'a video',
  audio: 'an audio file',
};

const mebibyte = 1024 ** 2;
/** Rounded up: what is over a limit must not look like the limit. */
const formatMebibytes = (bytes: number): string => `${Math.ceil((bytes / mebibyte) * 10) / 10} MiB`;

export function tooLarge(
  kind: MaterialKind,
  { bytes, bytesMax }: { readonly bytes: number | null; readonly bytesMax: number },
): ProbeVerdict {
  const size = bytes === null ? `over ${formatMebibytes(bytesMax)}` : formatMebibytes(bytes);
  const rule = `is ${size}; ${nouns[kind]} must be at most ${formatMebibytes(bytesMax)}`;
  return { outcome: 'invalid', rule };
}

/** `what` completes `it is`. */
export const unreadable = (kind: MaterialKind, description: string): ProbeVerdict => ({
  outcome: 'invalid',
  rule: `is not ${nouns[kind]} we can read: it is ${description}; use ${acceptedFormats[kind]}`,
});

const mustBePublic = 'it must be publicly reachable';
const checkHost = 'check what its host sends';

/** Why, and what to do about it. None of these words came from the host. */
const reasons: Readonly<
  Record<Exclude<UnreachableReason, `status ${number}`>, readonly [why: string, wayOut: string]>
> = {
  refused_address: ['it leads to an address that is not public', mustBePublic],
  dns: ['its host name has no address', mustBePublic],
  connect: ['its host does not answer', mustBePublic],
  silent_host: ['its host did not answer within the last minute', mustBePublic],
  tls: ['its host has no valid certificate', mustBePublic],
  timeout: ['it did not answer in time', mustBePublic],
  closed: ['its host ended the connection early', checkHost],
  protocol: ['its host does not answer in proper HTTP', checkHost],
  redirects: ['it redirects more than 3 times', checkHost],
  encoded: ['its host sends it compressed', 'it must be sent as it is'],
  inconsistent: ['its host answers range requests wrongly', checkHost],
  budget: ['telling its length takes too much reading', 'move its index to the front of the file'],
  not_measured: ['its length could not be told in time', 'try again, or encode it anew'],
  no_turn: ['two other requests of this account were being looked at', 'try again'],
  cancelled: ['the service is stopping', 'try again'],
};

export function unreachableMessage(reason: UnreachableReason): string {
  const [why, remedy] = reason.startsWith('status ')
    ? [`its host answers with ${reason}`, mustBePublic]
    : reasons[reason as keyof typeof reasons];
  return `could not be looked at: ${why}; ${remedy}`;
}
