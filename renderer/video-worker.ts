/**
 * The process that reads videos, one file at a time: it makes a poster, or finds out how long one
 * is. It has no secrets, opens no connections, writes no files and keeps nothing between two
 * videos. The service kills it if it takes too long.
 */
import { constants, setPriority } from 'node:os';
import { loadAv } from './node-av.ts';
import { makePoster } from './poster.ts';
import { longestSeconds } from './source/longest.ts';

/** The next file is sent after the previous result. */
export type VideoRequest = { readonly file: string; readonly wanted: 'poster' | 'seconds' };
export type VideoMessage =
  | { readonly ready: true }
  /** `seconds` as the header says. */
  | { readonly poster: Uint8Array; readonly seconds: number }
  | { readonly seconds: number }
  | { readonly failed: string }
  /** This platform has no build of FFmpeg. */
  | { readonly unavailable: true };

const send = (message: VideoMessage): void => void process.send?.(message);

const hasFfmpeg = await loadAv().then(
  () => true,
  () => false,
);

process.on('message', async ({ file, wanted }: VideoRequest) => {
  try {
    if (!hasFfmpeg) send({ unavailable: true });
    else if (wanted === 'poster') send(await makePoster(file));
    else send({ seconds: await longestSeconds(file) });
  } catch (error) {
    send({ failed: (error as Error).message });
  }
});
// The parent process is gone.
process.on('disconnect', () => process.exit());
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
send({ ready: true });
