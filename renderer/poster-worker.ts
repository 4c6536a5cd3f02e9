/**
 * The process that makes posters, one file at a time: it has no secrets, opens no connections,
 * writes no files and keeps nothing between two videos. The service kills it if it takes too long.
 */
import { constants, setPriority } from 'node:os';
import { makePoster } from './poster.ts';

/** The next file is sent after the previous result. */
export type PosterRequest = { readonly file: string };
export type PosterMessage =
  | { readonly ready: true }
  | { readonly poster: Uint8Array }
  | { readonly failed: string };

const send = (message: PosterMessage): void => void process.send?.(message);

process.on('message', async ({ file }: PosterRequest) => {
  try {
    send({ poster: await makePoster(file) });
  } catch (error) {
    send({ failed: (error as Error).message });
  }
});
// The parent process is gone.
process.on('disconnect', () => process.exit());
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
send({ ready: true });
