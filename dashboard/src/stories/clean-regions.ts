/**
 * Reads the pixels below the overlays of a preview, which its MP4 keeps in a box
 * (renderer/clean/clean-box.ts). Anything that does not match the format is ignored.
 */

type CleanRegion = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

type CleanEnd = {
  /** Those that cover the last frame, with their distance from the top in the frames of `clip`. */
  readonly regions: readonly (CleanRegion & { readonly top: number })[];
  /** By which the frames of `clip` are smaller. */
  readonly reduction: number;
  /** An MP4. */
  readonly clip: Blob;
};

const boxType = [0x5d1e2f6a, 0x9b0c4e67, 0xa3c18f24, 0xd7706b52];
const headBytes = 24;
const uuidName = 0x75756964;
const topBoxesMax = 64;

/** Null if nothing is kept for the last frame. */
export function cleanEndOf(file: ArrayBuffer): CleanEnd | null {
  try {
    const content = findBox(new DataView(file));
    return content && lastSegment(content);
  } catch {
    return null; // A length points outside of the file.
  }
}

function findBox(view: DataView): DataView | null {
  for (let at = 0, boxes = 0; at + headBytes <= view.byteLength; boxes += 1) {
    const length = view.getUint32(at);
    const bytes = length === 1 ? Number(view.getBigUint64(at + 8)) : length;
    if (bytes < 8 || boxes === topBoxesMax) return null;
    const isOurs =
      view.getUint32(at + 4) === uuidName &&
      boxType.every((part, index) => view.getUint32(at + 8 + index * 4) === part);
    if (isOurs) return new DataView(view.buffer, at + headBytes, bytes - headBytes);
    at += bytes;
  }
  return null;
}

function lastSegment(content: DataView): CleanEnd | null {
  let last: CleanEnd | null = null;
  for (let at = 0; at < content.byteLength; ) {
    const frames = content.getUint32(at + 4);
    const reduction = content.getUint8(at + 8);
    const count = content.getUint8(at + 9);
    at += 10;
    const regions: CleanEnd['regions'][number][] = [];
    for (let [index, top] = [0, 0]; index < count; index += 1, at += 12) {
      const [x = 0, y = 0, width = 0, height = 0] = [0, 2, 4, 6].map((offset) =>
        content.getUint16(at + offset),
      );
      if (content.getUint32(at + 8) >= frames) regions.push({ x, y, width, height, top });
      top += height;
    }
    const bytes = content.getUint32(at);
    const clip = new Blob([
      new Uint8Array(content.buffer as ArrayBuffer, content.byteOffset + at + 4, bytes),
    ]);
    last = regions.length > 0 && reduction > 0 ? { regions, reduction, clip } : null;
    at += 4 + bytes;
  }
  return last;
}
