/**
 * The baseline of a preview where this machine has no `ffmpeg`: encodes raw frames from a file and
 * a tone of the same length with the renderer's FFmpeg. `baseline-encoder.ts <raw> <width>x<height>
 * <mp4>`.
 */
import { open } from 'node:fs/promises';
import { openNative } from '../../renderer/encode/native.ts';
import { framesPerSecond } from '../../renderer/render-job.ts';

const [raw, shape, file] = process.argv.slice(2) as [string, string, string];
const [width, height] = shape.split('x').map(Number) as [number, number];
const sampleRate = 48_000;
const tone = Float32Array.from({ length: sampleRate * 2 }, (_, at) => Math.sin(at / 70) * 0.1);
await using frames = await open(raw);
const { size: bytes } = await frames.stat();
const frameBytes = width * height * 4;
const encoder = await openNative({
  ...{ file, size: { width, height }, framesPerSecond, sampleRate },
  frames: bytes / frameBytes,
});
for (let at = 0; at < bytes; at += frameBytes) {
  if ((at / frameBytes) % framesPerSecond === 0) await encoder.addAudio(tone);
  const pixels = Buffer.allocUnsafeSlow(frameBytes);
  await frames.read(pixels, 0, frameBytes, at);
  await encoder.addFrame(pixels);
}
await encoder.close();
process.exit(0);
