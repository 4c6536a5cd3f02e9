/**
 * The duration of a video or audio file from the bytes at hand: the larger of the header's value
 * and the sum of the samples. Pure: if bytes are missing, it returns which, and is called again
 * with them. Runs only in `duration-worker.ts`, because a few kilobytes can exhaust its heap.
 */
import {
  ADTS,
  CustomSource,
  FLAC,
  Input,
  type InputTrack,
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

export type Piece = { readonly start: number; readonly bytes: Uint8Array };

/** From `start` up to but not including `end`. */
export type Span = { readonly start: number; readonly end: number };

export type DurationInput = {
  readonly kind: 'video' | 'audio';
  /** Size of the whole file. */
  readonly bytesTotal: number;
  /** The known parts of the file, sorted by start. */
  readonly pieces: readonly Piece[];
};

export type DurationResult =
  | { readonly outcome: 'measured'; readonly seconds: number }
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

export async function measureDuration({
  kind,
  bytesTotal,
  pieces,
}: DurationInput): Promise<DurationResult> {
  const typeBoxPrefix = typeBoxPrefixFor(pieces);
  const known = [{ start: 0, bytes: typeBoxPrefix }, ...shifted(pieces, typeBoxPrefix.length)];
  const missing: Span[] = [];
  let headerSeconds: number | null = null;
  const input = new Input({
    formats: formats[kind],
    source: new CustomSource({
      getSize: () => typeBoxPrefix.length + bytesTotal,
      read(start, end) {
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
    const headers = await lengthsOf(tracks, (track) => track.getDurationFromMetadata());
    headerSeconds = longest(headers);
    if (headerSeconds !== null && headerSeconds > headerOnlySeconds) return measured(headerSeconds);
    const samples = await lengthsOf(tracks, (track) => track.computeDuration());
    const sampleSeconds = longest(samples) ?? 0;
    // Matroska samples do not include the duration of the last frame; the header does.
    const isMatroska = (await input.getFormat()) instanceof MatroskaInputFormat;
    const slack = isMatroska ? 0 : slackSeconds;
    const isHeaderLonger = headerSeconds !== null && headerSeconds > sampleSeconds + slack;
    return measured(isHeaderLonger ? headerSeconds : sampleSeconds);
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

/** Durations from each track's first timestamp: encoders delay tracks, recorders start anywhere. */
async function lengthsOf(
  tracks: readonly InputTrack[],
  endOf: (track: InputTrack) => Promise<number | null>,
): Promise<number[]> {
  const lengths = await Promise.all(
    tracks.map(async (track) => {
      const [start, end] = await Promise.all([track.getFirstTimestamp(), endOf(track)]);
      return end === null ? [] : [end - Math.max(0, start)];
    }),
  );
  return lengths.flat();
}

const longest = (lengths: readonly number[]): number | null =>
  lengths.length === 0 ? null : Math.max(...lengths);

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
