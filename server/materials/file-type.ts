/**
 * Detects the type of a file from its first kilobyte, never from its name or content type. Follows
 * no pointers and reads every byte a bounded number of times, so no file can make it expensive.
 */
import type { MaterialKind } from './material.ts';

type FileType = {
  /** The material kind it can be used as; null for unsupported types. */
  readonly media: MaterialKind | null;
  /** Completes "it is …" in a message. */
  readonly name: string;
};

/** The accepted formats as messages list them. */
export const acceptedFormats: Readonly<Record<MaterialKind, string>> = {
  image: 'JPEG, PNG, WebP, GIF, BMP, HEIC, AVIF, TIFF or JPEG XL',
  video: 'MP4, MOV, WebM or MKV',
  audio: 'MP3, WAV, M4A, AAC, OGG or FLAC',
};

const unsupported = (name: string): FileType => ({ media: null, name });

/** Types known by their first bytes, one character per byte. */
const signatures: readonly (readonly [start: string, kind: FileType])[] = [
  ['fLaC', { media: 'audio', name: 'a FLAC file' }],
  ['OggS', { media: 'audio', name: 'an OGG file' }],
  ['ID3', { media: 'audio', name: 'an MP3 file' }],
  ['#EXTM3U', unsupported('a playlist, not the media itself')],
  ['%PDF-', unsupported('a PDF document')],
  ['PK\x03\x04', unsupported('a ZIP archive')],
  ['\x1f\x8b', unsupported('a gzip archive')],
  ['7z\xbc\xaf\x27\x1c', unsupported('a 7z archive')],
  ['Rar!', unsupported('a RAR archive')],
  ['FLV\x01', unsupported('an FLV video')],
  ['\x30\x26\xb2\x75\x8e\x66\xcf\x11', unsupported('a WMV or WMA file')],
  ['\x00\x00\x01\xba', unsupported('an MPEG program stream')],
  ['II*\x00', { media: 'image', name: 'a TIFF image' }],
  ['MM\x00*', { media: 'image', name: 'a TIFF image' }],
  ['8BPS', unsupported('a Photoshop image')],
  ['\x00\x00\x01\x00', unsupported('an ICO image')],
  ['\xff\x0a', { media: 'image', name: 'a JPEG XL image' }],
  ['\x00\x00\x00\x0cJXL \r\n\x87\n', { media: 'image', name: 'a JPEG XL image' }],
  ['#!AMR', unsupported('an AMR file')],
];

/** Null if the type is unknown: the file may still be media. */
export function detectFileType(bytes: Uint8Array): FileType | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024));
  const text = head.toString('latin1');
  return (
    // First, because an ISO file starts with any four bytes: a length.
    detectIsoMedia(text) ??
    signatures.find(([start]) => text.startsWith(start))?.[1] ??
    detectImage(head, text) ??
    detectRiff(text) ??
    detectMatroska(text) ??
    detectTransportStream(text) ??
    detectText(head)
  );
}

/** Image formats with a size in the header; a file without pixels is not an image. */
function detectImage(head: Buffer, text: string): FileType | null {
  const sizedImage = (name: string, [width, height]: readonly [number, number]): FileType =>
    width > 0 && height > 0
      ? { media: 'image', name: `a ${name} image` }
      : unsupported(`a ${name} file without pixels`);
  const truncated = (name: string): FileType => unsupported(`a ${name} file that is cut off`);
  if (text.startsWith('\xff\xd8\xff')) {
    // The number of the next marker. The size is behind further markers, which are not followed.
    return (head[3] ?? 0) >= 0xc0 ? { media: 'image', name: 'a JPEG image' } : truncated('JPEG');
  }
  if (text.startsWith('\x89PNG\r\n\x1a\n')) {
    if (text.slice(12, 16) !== 'IHDR' || head.length < 24) return truncated('PNG');
    return sizedImage('PNG', [head.readUInt32BE(16), head.readUInt32BE(20)]);
  }
  if (/^GIF8[79]a/.test(text)) {
    if (head.length < 10) return truncated('GIF');
    return sizedImage('GIF', [head.readUInt16LE(6), head.readUInt16LE(8)]);
  }
  // Two letters are too few to identify a file, so the length of the second header must match too.
  if (text.startsWith('BM') && head.length >= 26) {
    const headerBytes = head.readUInt32LE(14);
    if (headerBytes === 12)
      return sizedImage('BMP', [head.readUInt16LE(18), head.readUInt16LE(20)]);
    if ([40, 52, 56, 64, 108, 124].includes(headerBytes)) {
      // A negative height means bottom-up rows.
      return sizedImage('BMP', [head.readInt32LE(18), Math.abs(head.readInt32LE(22))]);
    }
  }
  return null;
}

function detectRiff(text: string): FileType | null {
  if (!/^(RIFF|RIFX|RF64)/.test(text)) return null;
  const form = text.slice(8, 12);
  if (form === 'WAVE') return { media: 'audio', name: 'a WAV file' };
  if (form === 'AVI ') return unsupported('an AVI video');
  if (form === 'WEBP') {
    const isWhole = /^VP8[ LX]/.test(text.slice(12, 16));
    return isWhole
      ? { media: 'image', name: 'a WebP image' }
      : unsupported('a WebP file that is cut off');
  }
  return null;
}

/** The first box of an ISO file. Whether the file is video or audio depends on its tracks. */
function detectIsoMedia(text: string): FileType | null {
  const box = text.slice(4, 8);
  // Old QuickTime files start with any of these boxes; the type box came later.
  if (/^(moov|mdat|wide|skip|pnot)$/.test(box)) return { media: 'video', name: 'a MOV file' };
  if (box !== 'ftyp') return null;
  const brand = text.slice(8, 12);
  if (/^(heic|heix|heim|heis|hevc|hevx|mif1|msf1)$/.test(brand)) {
    return { media: 'image', name: 'a HEIC image' };
  }
  if (/^avi[fs]$/.test(brand)) return { media: 'image', name: 'an AVIF image' };
  if (/^M4[AB] $/.test(brand)) return { media: 'audio', name: 'an M4A file' };
  return { media: 'video', name: brand === 'qt  ' ? 'a MOV file' : 'an MP4 file' };
}

function detectMatroska(text: string): FileType | null {
  if (!text.startsWith('\x1a\x45\xdf\xa3')) return null;
  const isWebm = text.slice(0, 64).includes('webm');
  return { media: 'video', name: isWebm ? 'a WebM file' : 'an MKV file' };
}

const transportPacketBytes = 188;

function detectTransportStream(text: string): FileType | null {
  const isTransport = [0, 1, 2].every((packet) => text[packet * transportPacketBytes] === 'G');
  return isTransport ? unsupported('an MPEG transport stream') : null;
}

/** Text instead of media: an error page, a login form, an SVG image. */
function detectText(head: Buffer): FileType | null {
  // No control characters except white space; the last character may be cut off.
  const text = new TextDecoder('utf-8').decode(head, { stream: true });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they separate binary data from text.
  if (/[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]/.test(text)) return null;
  const start = text.trimStart().toLowerCase();
  const isXml = start.startsWith('<?xml');
  const root = withoutComments(isXml ? start.slice(start.indexOf('>') + 1) : start);
  if (/^<(svg|!doctype svg)/.test(root)) return unsupported('an SVG image');
  if (isXml) return unsupported('an XML document');
  const isHtml = /^<(!doctype html|html|head|body|script|title|meta)/.test(root);
  return unsupported(isHtml ? 'text/html' : 'text');
}

/** From the first tag. An unfinished comment is returned as it is. */
function withoutComments(text: string): string {
  let at = 0;
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at += 1;
    const end = text.startsWith('<!--', at) ? text.indexOf('-->', at + 4) : -1;
    if (end === -1) return text.slice(at);
    at = end + 3;
  }
}

export type UploadFormat = { readonly media: MaterialKind; readonly extension: string };

/** The first bytes that are needed to detect the type. */
export const formatBytes = 1024;

const extensions: Readonly<Record<string, string>> = {
  'a JPEG image': 'jpg',
  'a PNG image': 'png',
  'a WebP image': 'webp',
  'a GIF image': 'gif',
  'a BMP image': 'bmp',
  'a HEIC image': 'heic',
  'an AVIF image': 'avif',
  'a TIFF image': 'tiff',
  'a JPEG XL image': 'jxl',
  'an MP4 file': 'mp4',
  'a MOV file': 'mov',
  'a WebM file': 'webm',
  'an MKV file': 'mkv',
  'an MP3 file': 'mp3',
  'a WAV file': 'wav',
  'an M4A file': 'm4a',
  'an OGG file': 'ogg',
  'a FLAC file': 'flac',
};

/**
 * `contentType` is what the client declared. For other files returns `foreign`, which completes "it
 * is …".
 */
export function uploadFormatOf(
  head: Uint8Array,
  contentType: string,
): UploadFormat | { readonly foreign: string } {
  const found = detectFileType(head) ?? framesWithoutTag(head);
  const extension = extensions[found?.name ?? ''];
  if (!found?.media || !extension) return { foreign: found?.name ?? 'of an unknown type' };
  const isAudio = found.media === 'video' && /^\s*audio\//i.test(contentType);
  if (isAudio && extension === 'mp4') return { media: 'audio', extension: 'm4a' };
  return { media: isAudio ? 'audio' : found.media, extension };
}

export const uploadFormats = Object.values(acceptedFormats).join('; ');

/** MP3 and AAC can start with a frame: eleven set bits, then the layer. */
function framesWithoutTag([first = 0, second = 0]: Uint8Array): ReturnType<typeof detectFileType> {
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  const isMp3 = (second & 0x06) !== 0;
  if (isMp3) return { media: 'audio', name: 'an MP3 file' };
  return { media: null, name: 'an AAC file without a container: wrap it as M4A' };
}
