/**
 * The process that reads videos, one file at a time: it makes a poster, or finds out how long one
 * is. It has no secrets, opens no connections, writes no files and keeps nothing between two
 * videos. The service kills it if it takes too long.
 */
import './ignore-signals.ts';
import { constants, getPriority, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { loadAv } from './node-av.ts';
import { makePoster } from './poster.ts';
import { longestSeconds, readShape, type VideoShape } from './source/measure.ts';

/** A line of input. The next file is sent after the previous result. */
export type VideoRequest = {
  readonly file: string;
  readonly wanted: 'poster' | 'seconds' | 'shape';
};
export type VideoMessage =
  | { readonly ready: true }
  /** In base64. `seconds` as the header says. */
  | { readonly poster: string; readonly seconds: number }
  | { readonly seconds: number }
  | { readonly shape: VideoShape }
  | { readonly failed: string }
  /** This platform has no build of FFmpeg. */
  | { readonly unavailable: true };

const send = (message: VideoMessage): void =>
  void process.stdout.write(`${JSON.stringify(message)}\n`);

async function answer({ file, wanted }: VideoRequest): Promise<VideoMessage> {
  if (wanted === 'seconds') return { seconds: await longestSeconds(file) };
  if (wanted === 'shape') return { shape: await readShape(file) };
  const { poster, seconds } = await makePoster(file);
  return { poster: poster.toString('base64'), seconds };
}

const hasFfmpeg = await loadAv().then(
  () => true,
  () => false,
);
const belowNormal = constants.priority.PRIORITY_BELOW_NORMAL;
// Only root may raise it, which a confined process is not.
if (getPriority() < belowNormal) setPriority(belowNormal);
send({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const failed = (error: Error): VideoMessage => ({ failed: error.message });
  const request = JSON.parse(line) as VideoRequest;
  send(hasFfmpeg ? await answer(request).catch(failed) : { unavailable: true });
}
// The parent process is gone.
process.exit();
