/**
 * The type of an uploaded file from its first bytes: the same types that materials can have. The
 * declared type matters only for containers that can hold video or audio.
 */
import { acceptedFormats, detectFileType } from './file-type.ts';
import type { MaterialKind } from './material.ts';

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
