/**
 * Responses to requests for a file: whole, a range, or an error (RFC 9110, sections 13 and 14).
 * Returns status, headers and byte range as data; the route only pipes.
 */
import type { ByteRange } from './storage.ts';

export type FileRequest = {
  readonly method: 'GET' | 'HEAD';
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
};

type FileToSend = {
  readonly bytesTotal: number;
  readonly contentType: string;
  /** A strong etag, with quotes. */
  readonly etag: string;
  /** The name that browsers save the file under. */
  readonly fileName: string;
};

type RangeResponse = {
  readonly status: 200 | 206 | 304 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body; null if there is no body. */
  readonly range: ByteRange | null;
};

export function rangeResponse(request: FileRequest, file: FileToSend): RangeResponse {
  const { bytesTotal, contentType, etag } = file;
  const commonHeaders = {
    'accept-ranges': 'bytes',
    etag,
    // A result is private to its owner and must not be kept in shared caches.
    'cache-control': 'private',
    'x-content-type-options': 'nosniff',
  };
  const contentHeaders = {
    ...commonHeaders,
    'content-type': contentType,
    'content-disposition': disposition(file.fileName),
  };
  if (request.ifNoneMatch !== undefined && matchesAny(request.ifNoneMatch, etag)) {
    return { status: 304, headers: commonHeaders, range: null };
  }
  const part = requestedPart(request, file);
  if (part === 'unsatisfiable') {
    const headers = {
      ...commonHeaders,
      'content-range': `bytes */${bytesTotal}`,
      'content-length': '0',
    };
    return { status: 416, headers, range: null };
  }
  if (part !== 'whole') {
    const headers = {
      ...contentHeaders,
      'content-range': `bytes ${part.start}-${part.end}/${bytesTotal}`,
      'content-length': String(part.end - part.start + 1),
    };
    return { status: 206, headers, range: part };
  }
  const hasBody = request.method === 'GET' && bytesTotal > 0;
  return {
    status: 200,
    headers: { ...contentHeaders, 'content-length': String(bytesTotal) },
    range: hasBody ? { start: 0, end: bytesTotal - 1 } : null,
  };
}

type Part = ByteRange | 'whole' | 'unsatisfiable';

/** Several times what one range of the largest file needs. */
const rangeCharactersMax = 200;

function requestedPart(
  { method, range, ifRange }: FileRequest,
  { bytesTotal, etag }: FileToSend,
): Part {
  // RFC 9110, 14.2: Range applies to GET only.
  if (method !== 'GET' || range === undefined) return 'whole';
  // The client has parts of another version, or sent something other than our strong etag.
  if (ifRange !== undefined && ifRange.trim() !== etag) return 'whole';
  return parseRange(range, bytesTotal);
}

/**
 * Parses a single range: first and last byte, first byte only, or a suffix length. Several ranges
 * return the whole file, as RFC 9110 (14.2) allows: no player uses them, and a few bytes of header
 * could request gigabytes. Malformed ranges are ignored.
 */
export function parseRange(header: string, bytesTotal: number): Part {
  if (header.length > rangeCharactersMax) return 'whole';
  const [, set] = /^bytes=(.*)$/i.exec(header.trim()) ?? [];
  const ranges = (set ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const [, first, last] = /^([0-9]*)-([0-9]*)$/.exec(ranges[0] ?? '') ?? [];
  if (ranges.length !== 1 || first === undefined || last === undefined) return 'whole';
  if (first === '') return last === '' ? 'whole' : fromEnd(Number(last), bytesTotal);
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= bytesTotal) return 'unsatisfiable';
  return { start, end: last === '' ? bytesTotal - 1 : Math.min(Number(last), bytesTotal - 1) };
}

function fromEnd(bytes: number, bytesTotal: number): Part {
  if (bytes === 0) return 'unsatisfiable';
  // No range can describe part of an empty file, so return all of it.
  if (bytesTotal === 0) return 'whole';
  return { start: Math.max(0, bytesTotal - bytes), end: bytesTotal - 1 };
}

/** If-None-Match uses weak comparison (RFC 9110, 13.1.2). */
function matchesAny(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => tag.replace(/^W\//, '') === etag);
}

/** Shown in the browser; saved under a name that needs no quoting. */
export function disposition(fileName: string): string {
  return `inline; filename="${fileName.replace(/[^A-Za-z0-9._-]/g, '-')}"`;
}
