/**
 * What an uploaded file is, by its first bytes: the same kinds that materials may be. What it is
 * called decides nothing, but for containers that hold video or sound and do not tell which.
 */
import { acceptedFormats, detectFileType } from './file-type.ts';
import type { MaterialKind } from './material.ts';

export type UploadFormat = { readonly media: MaterialKind; readonly extension: string };

/** How much of a file tells what it is. */
export const formatBytes = 1024;

const extensions: Readonly<Record<string, string>> = {
  'a JPEG image': 'jpg',
  'a PNG image': 'png',
  'a WebP image': 'webp',
  'a GIF image': 'gif',
  'a BMP image': 'bmp',
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

/** `contentType` is what the sender calls it. Or what it is instead, to complete `it is` … */
export function uploadFormatOf(
  head: Uint8Array,
  contentType: string,
): UploadFormat | { readonly foreign: string } {
  const found = detectFileType(head) ?? framesWithoutTag(head);
  const extension = extensions[found?.name ?? ''];
  if (!found?.media || !extension) return { foreign: found?.name ?? 'of no kind we know' };
  const isAudio = found.media === 'video' && /^\s*audio\//i.test(contentType);
  if (isAudio && extension === 'mp4') return { media: 'audio', extension: 'm4a' };
  return { media: isAudio ? 'audio' : found.media, extension };
}

export const uploadFormats = Object.values(acceptedFormats).join('; ');

/** MP3 and AAC may begin with sound at once: eleven bits that are one, then the layer. */
function framesWithoutTag([first = 0, second = 0]: Uint8Array): ReturnType<typeof detectFileType> {
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  const isMp3 = (second & 0x06) !== 0;
  if (isMp3) return { media: 'audio', name: 'an MP3 file' };
  return { media: null, name: 'an AAC file without a container: wrap it as M4A' };
}
