/** A stored result as it was before it was signed: what a provider delivered, byte for byte. */
import assert from 'node:assert/strict';

/** Takes the manifest out of an MP4, and moves its chunk offsets back. */
export function unmarkedVideo(signed: Buffer): Buffer {
  const start = signed.readUInt32BE();
  assert.equal(signed.toString('latin1', start + 4, start + 8), 'uuid', 'the video is signed');
  const size = signed.readUInt32BE(start);
  const video = Buffer.concat([signed.subarray(0, start), signed.subarray(start + size)]);
  for (let at = video.indexOf('stco'); at >= 0; at = video.indexOf('stco', at + 4)) {
    const count = video.readUInt32BE(at + 8);
    for (let entry = at + 12; entry < at + 12 + 4 * count; entry += 4) {
      video.writeUInt32BE(video.readUInt32BE(entry) - size, entry);
    }
  }
  return video;
}

/** Whether a stored video is the delivered one with a manifest, and nothing else. */
export function isDelivered(stored: Buffer, delivered: Buffer): boolean {
  try {
    return unmarkedVideo(stored).equals(delivered);
  } catch {
    return false;
  }
}

/** Takes the manifest out of a JPEG. */
export function unmarkedImage(signed: Buffer): Buffer {
  assert.equal(signed.readUInt32BE(0), 0xffd8_ffeb, 'the image is signed');
  const end = 4 + signed.readUInt16BE(4);
  return Buffer.concat([signed.subarray(0, 2), signed.subarray(end)]);
}
