/**
 * The format of a file, and the size of an image, by its first bytes; neither the file name nor
 * the content type of the sender is trusted.
 */
import { open } from 'node:fs/promises';
import { decodableSizeOf } from '@vidgen/renderer/image-size.ts';
import type { MaterialKind } from '@vidgen/renderer/render-job.ts';
import type { Size } from '@vidgen/renderer/size.ts';

export type MediaInfo = {
  readonly contentType: string;
  /** For file names: some upstreams choose a decoder by it. */
  readonly extension: string;
  /** Of an image; null when the first bytes do not contain it. */
  readonly shape: Size | null;
};

/** Cameras put thumbnails and color profiles before the size. */
const headBytesMax = 1024 ** 2;

export async function readHead(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(headBytesMax) });
  return buffer.subarray(0, bytesRead);
}

/** Returns null for a file of another kind. Accepts the formats of the contract. */
export function readMediaInfo(head: Buffer, kind: MaterialKind): MediaInfo | null {
  if (kind === 'image') return readImageInfo(head);
  const text = head.toString('latin1', 0, 64);
  const mediaType = kind === 'video' ? videoType(text) : audioType(text);
  return mediaType && { contentType: mediaType[0], extension: mediaType[1], shape: null };
}

type MediaType = readonly [contentType: string, extension: string] | null;

function videoType(text: string): MediaType {
  if (text.slice(4, 8) === 'ftyp') {
    return text.slice(8, 12) === 'qt  ' ? ['video/quicktime', 'mov'] : ['video/mp4', 'mp4'];
  }
  // Old QuickTime files have no `ftyp` box.
  if (['moov', 'mdat', 'wide'].includes(text.slice(4, 8))) return ['video/quicktime', 'mov'];
  if (!text.startsWith('\x1a\x45\xdf\xa3')) return null;
  return text.includes('matroska') ? ['video/x-matroska', 'mkv'] : ['video/webm', 'webm'];
}

function audioType(text: string): MediaType {
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WAVE') return ['audio/wav', 'wav'];
  if (text.startsWith('fLaC')) return ['audio/flac', 'flac'];
  if (text.startsWith('OggS')) return ['audio/ogg', 'ogg'];
  if (text.slice(4, 8) === 'ftyp') return ['audio/mp4', 'm4a'];
  if (/^\xff[\xf0\xf1\xf8\xf9]/.test(text)) return ['audio/aac', 'aac'];
  // An ID3 tag, or an MPEG frame: eleven bits that are set.
  return /^(ID3|\xff[\xe0-\xff])/.test(text) ? ['audio/mpeg', 'mp3'] : null;
}

function readImageInfo(head: Buffer): MediaInfo | null {
  const kind = imageKind(head);
  if (!kind) return null;
  const size = decodableSizeOf(head);
  return {
    contentType: `image/${kind}`,
    extension: kind === 'jpeg' ? 'jpg' : kind,
    shape: size && size.width > 0 && size.height > 0 ? size : null,
  };
}

function imageKind(head: Buffer): 'png' | 'jpeg' | 'gif' | 'webp' | 'bmp' | null {
  const text = head.toString('latin1', 0, 32);
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(text)) return 'gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'webp';
  // Two letters are not distinctive enough, so the size of the second header is checked too.
  const isBitmap = text.startsWith('BM') && head.length >= 26 && head.readUInt32LE(14) >= 40;
  return isBitmap ? 'bmp' : null;
}
