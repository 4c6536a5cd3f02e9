/**
 * The duration of a video or audio file from the bytes at hand: the largest of the header's value,
 * the edit lists and the sum of the samples. Pure: if bytes are missing, it returns which, and is
 * called again with them. Runs only in `duration-worker.ts`, because a few kilobytes can exhaust
 * its heap.
 */
import {
  ADTS,
  CustomSource,
  EncodedPacketSink,
  FLAC,
  Input,
  type InputFormat,
  type InputTrack,
  IsobmffInputFormat,
  MATROSKA,
  MatroskaInputFormat,
  MP3,
  MP4,
  OGG,
  QTFF,
  UnsupportedInputFormatError,
  WAVE,
  WEBM,
} from 'mediabunny';
import { isCountable, type ReadBytes } from './iso-boxes.ts';

import { type IsoTiming, readIsoFile } from './iso-timing.ts';
import { isPlainMatroska } from './matroska-structure.ts';

export type Piece = { readonly start: number; readonly bytes: Uint8Array };

/** From `start` up to but not including `end`. */
export type Span = { readonly start: number; readonly end: number };

export type DurationInput = {
  readonly kind: 'video' | 'audio';
  /** Size of the whole file. */
  readonly bytesTotal: number;
  /** The known parts of the file, sorted by start. */
  readonly pieces: readonly Piece[];
  /** Whether all of the structure is read, also where the length does not need it. */
  readonly isThorough?: boolean;
};

export type DurationResult =
  | { readonly outcome: 'measured'; readonly seconds: number }
  /** Players differ in how long they show the file: `seconds`, or longer. */
  | { readonly outcome: 'ambiguous'; readonly seconds: number }
  /** Needs these bytes. `headerSeconds` is the best estimate until then. */
  | (Span & { readonly outcome: 'needs'; readonly headerSeconds: number | null })
  | { readonly outcome: 'unreadable'; readonly reason: UnreadableReason };

export type UnreadableReason =
  /** Not a format of its kind. */
  | 'format'
  /** The right format with invalid content. */
  | 'broken'
  | 'no_video_track'
  | 'no_audio_track'
  /** Expected audio, but it has a video track. */
  | 'has_video_track'
  | 'no_length';

/** No playlists (HLS), which would refer to more URLs. MPEG-TS durations would be wrong. */
const formats = {
  video: [MP4, QTFF, WEBM, MATROSKA],
  audio: [MP4, MP3, WAVE, OGG, FLAC, ADTS],
};

/** Longer than any rule allows, so the header decides and samples need not be counted. */
const headerOnlySeconds = 120;

/**
 * Some headers include frames that the encoder delayed. Up to this much more than the samples is
 * normal and does not count as duration.
 */
const slackSeconds = 0.25;

/** Thrown to stop the parser where the bytes end. */
class MissingBytes extends Error {}

/** More reads than any file needs, which are about two per frame: the parser may loop. */
const readsMin = 2_000;
const bytesPerRead = 8;

export async function measureDuration({
  kind,
  bytesTotal,
  pieces,
  isThorough = false,
}: DurationInput): Promise<DurationResult> {
  const typeBoxPrefix = typeBoxPrefixFor(pieces);
  const known = [{ start: 0, bytes: typeBoxPrefix }, ...shifted(pieces, typeBoxPrefix.length)];
  const missing: Span[] = [];
  let headerSeconds: number | null = null;
  let readsLeft = readsMin + bytesTotal / bytesPerRead;
  const read: ReadBytes = (start, end) => {
    const bytes = bytesOf(pieces, { start, end });
    if (bytes) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (!isThorough) return null;
    missing.push({ start, end });
    throw new MissingBytes();
  };
  const input = new Input({
    formats: formats[kind],
    source: new CustomSource({
      getSize: () => typeBoxPrefix.length + bytesTotal,
      read(start, end) {
        readsLeft -= 1;
        if (readsLeft < 0) throw new Error('too many reads');
        const bytes = bytesOf(known, { start, end });
        if (bytes) return bytes;
        missing.push({
          start: Math.max(0, start - typeBoxPrefix.length),
          end: end - typeBoxPrefix.length,
        });
        throw new MissingBytes();
      },
      maxCacheSize: 0,
      // Other reads may be in progress when the first fails; only the first error matters.
      handleUnhandledError: () => {},
    }),
  });
  try {
    const tracks = await input.getTracks();
    const problem = trackProblem(kind, tracks, pieces);
    if (problem) return unreadable(problem);
    const format = await input.getFormat();
    if (format instanceof IsobmffInputFormat && !isCountable(read, bytesTotal)) {
      return unreadable('broken');
    }
    const { isPlain, editSeconds } = timingIn(format, read, bytesTotal);
    headerSeconds = await lengthOf(tracks, (track) => track.getDurationFromMetadata());
    if (editSeconds > (headerSeconds ?? 0)) headerSeconds = editSeconds;
    if (headerSeconds !== null && headerSeconds > headerOnlySeconds) return measured(headerSeconds);
    const sampleSeconds = (await lengthOf(tracks, (track) => track.computeDuration())) ?? 0;
    // Matroska samples do not include the duration of the last frame; the header does.
    const slack = format instanceof MatroskaInputFormat ? 0 : slackSeconds;
    const isHeaderLonger = headerSeconds !== null && headerSeconds > sampleSeconds + slack;
    const result = measured(isHeaderLonger ? headerSeconds : sampleSeconds);
    return isPlain || result.outcome !== 'measured' ? result : { ...result, outcome: 'ambiguous' };
  } catch (error) {
    if (missing[0]) return { outcome: 'needs', ...missing[0], headerSeconds };
    return unreadable(error instanceof UnsupportedInputFormatError ? 'format' : 'broken');
  } finally {
    input.dispose();
  }
}

const unreadable = (reason: UnreadableReason): DurationResult => ({
  outcome: 'unreadable',
  reason,
});

const measured = (seconds: number | null): DurationResult =>
  seconds !== null && seconds > 0 && Number.isFinite(seconds)
    ? { outcome: 'measured', seconds }
    : unreadable('no_length');

function trackProblem(
  kind: DurationInput['kind'],
  tracks: readonly InputTrack[],
  pieces: readonly Piece[],
): UnreadableReason | null {
  const has = (type: string) => tracks.some((track) => track.type === type);
  if (tracks.length === 0) return 'broken';
  if (kind === 'video') return has('video') ? null : 'no_video_track';
  if (!has('audio')) return 'no_audio_track';
  // Chapters of an audio book can have images.
  return has('video') && !/^M4[AB] $/.test(nameAt(pieces, 8)) ? 'has_video_track' : null;
}

/**
 * From the first timestamp of any track, as recorders start anywhere, to the last end: a track that
 * waits for its start makes the video longer. Null if no end is known.
 */
async function lengthOf(
  tracks: readonly InputTrack[],
  endOf: (track: InputTrack) => Promise<number | null>,
): Promise<number | null> {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const track of tracks) {
    const packet = await new EncodedPacketSink(track).getFirstPacket({ metadataOnly: true });
    // The parser looks for the last packet forever where there is none.
    if (!packet) continue;
    const { timestamp: start } = packet;
    const end = await endOf(track);
    if (end === null || end <= start) continue;
    // Before 0 are samples that an edit list skips. Encoders need a few; more of them count,
    // because not every player skips them.
    first = Math.min(first, start < -slackSeconds ? start : Math.max(0, start));
    last = Math.max(last, end);
  }
  return last > first ? last - first : null;
}

function timingIn(format: InputFormat, read: ReadBytes, bytesTotal: number): IsoTiming {
  if (format instanceof IsobmffInputFormat) return readIsoFile(read, bytesTotal);
  const isPlain = !(format instanceof MatroskaInputFormat) || isPlainMatroska(read, bytesTotal);
  return { isPlain, editSeconds: 0 };
}

/** Returns the bytes, or null if any of them is unknown. */
function bytesOf(pieces: readonly Piece[], { start, end }: Span): Uint8Array | null {
  const parts: Uint8Array[] = [];
  let at = start;
  for (const piece of pieces) {
    const pieceEnd = piece.start + piece.bytes.length;
    if (at < piece.start || at >= pieceEnd) continue;
    parts.push(piece.bytes.subarray(at - piece.start, Math.min(end, pieceEnd) - piece.start));
    at = Math.min(end, pieceEnd);
    if (at === end) return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }
  return null;
}

/** Names of boxes and brands have four letters. */
const nameAt = (pieces: readonly Piece[], start: number): string =>
  Buffer.from(bytesOf(pieces, { start, end: start + 4 }) ?? []).toString('latin1');

const shifted = (pieces: readonly Piece[], by: number): Piece[] =>
  pieces.map(({ start, bytes }) => ({ start: start + by, bytes }));

const typeBox = Buffer.from('\0\0\0\x14ftypqt  \0\0\0\0qt  ', 'latin1');

/**
 * The parser recognizes QuickTime by a type box, which files from before 2004 lack; this adds one.
 */
const typeBoxPrefixFor = (pieces: readonly Piece[]): Uint8Array =>
  /^(moov|mdat|wide|skip|pnot)$/.test(nameAt(pieces, 4)) ? typeBox : new Uint8Array(0);
