/**
 * What a file is, by its first bytes: ComfyUI's loaders go by the end of its name, and a customer's
 * word for it is not taken.
 */
import type { MaterialKind } from '@vidgen/renderer/render-job.ts';
import type { Size } from '@vidgen/renderer/size.ts';
import { readImageInfo } from '../toolkit/image-info.ts';

export type MediaFile = {
  readonly contentType: string;
  readonly extension: string;
  /** Of a picture whose first bytes tell it. */
  readonly shape: Size | null;
};

/** Null for what is not of this kind. */
export function readMediaFile(head: Buffer, kind: MaterialKind): MediaFile | null {
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
  // Old QuickTime files begin with their content.
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
  // A tag before the sound, or the sound at once: eleven bits that are set begin a frame.
  return /^(ID3|\xff[\xe0-\xff])/.test(text) ? ['audio/mpeg', 'mp3'] : null;
}
