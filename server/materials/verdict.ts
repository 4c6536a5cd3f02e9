/**
 * What looking at a material led to, and the words for it. A breach is proven by bytes that a 2xx
 * answer sent; whatever was not reached is no breach (Decisions, "Material checks at creation").
 */
import { acceptedFormats } from './file-kind.ts';
import type { MaterialKind } from './material.ts';
import type { NotReachedReason } from './not-reached.ts';

export type Verdict =
  /** Seconds to a tenth; null for an image. */
  | { readonly outcome: 'sound'; readonly seconds: number | null }
  /** `rule` is the end of a sentence that starts with the field's path. */
  | { readonly outcome: 'breach'; readonly rule: string }
  | { readonly outcome: 'not_reached'; readonly reason: NotReachedReason };

/**
 * To a tenth of a second: containers and encoders do not agree on more, and ten clips of 3 s are
 * 30 s together.
 */
export const sound = (seconds: number | null): Verdict => ({
  outcome: 'sound',
  seconds: seconds === null ? null : Math.round(seconds * 10) / 10,
});

const nouns: Readonly<Record<MaterialKind, string>> = {
  image: 'an image',
  video: 'a video',
  audio: 'an audio file',
};

const mebibyte = 1024 ** 2;
/** Rounded up: what is over a limit must not look like the limit. */
const inMebibytes = (bytes: number): string => `${Math.ceil((bytes / mebibyte) * 10) / 10} MiB`;

export function tooLarge(
  kind: MaterialKind,
  { bytes, bytesMax }: { readonly bytes: number | null; readonly bytesMax: number },
): Verdict {
  const size = bytes === null ? `over ${inMebibytes(bytesMax)}` : inMebibytes(bytes);
  const rule = `is ${size}; ${nouns[kind]} must be at most ${inMebibytes(bytesMax)}`;
  return { outcome: 'breach', rule };
}

/** `what` completes `it is`. */
export const notReadable = (kind: MaterialKind, what: string): Verdict => ({
  outcome: 'breach',
  rule: `is not ${nouns[kind]} we can read: it is ${what}; use ${acceptedFormats[kind]}`,
});

const reach = 'it must be publicly reachable';
const mend = 'check what its host sends';

/** Why, and what to do about it. None of these words came from the host. */
const reasons: Readonly<
  Record<Exclude<NotReachedReason, `status ${number}`>, readonly [why: string, wayOut: string]>
> = {
  refused_address: ['it leads to an address that is not public', reach],
  dns: ['its host name has no address', reach],
  connect: ['its host does not answer', reach],
  silent_host: ['its host did not answer within the last minute', reach],
  tls: ['its host has no valid certificate', reach],
  timeout: ['it did not answer in time', reach],
  closed: ['its host ended the connection early', mend],
  protocol: ['its host does not answer in proper HTTP', mend],
  redirects: ['it redirects more than 3 times', mend],
  encoded: ['its host sends it compressed', 'it must be sent as it is'],
  inconsistent: ['its host answers range requests wrongly', mend],
  budget: ['telling its length takes too much reading', 'move its index to the front of the file'],
  not_measured: ['its length could not be told in time', 'try again, or encode it anew'],
  no_turn: ['two other requests of this account were being looked at', 'try again'],
  cancelled: ['the service is stopping', 'try again'],
};

export function notReachedWords(reason: NotReachedReason): string {
  const [why, wayOut] = reason.startsWith('status ')
    ? [`its host answers with ${reason}`, reach]
    : reasons[reason as keyof typeof reasons];
  return `could not be looked at: ${why}; ${wayOut}`;
}
