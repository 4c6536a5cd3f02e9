/**
 * Makes the posters of collected videos. A hostile video costs its own poster, never the task.
 */
import { startDeadline } from '../../process/clock.ts';
import { createVideoReader, type ReaderOptions } from './video-reader.ts';

export type Posters = ReturnType<typeof createPosters>;

/** Waiting included; an ordinary poster takes 0.03 s, and 0.3 s with the start of the process. */
const posterMsMax = 10_000;
/** Of these, the last waits less than a second. More would delay the end of tasks. */
const waitingMax = 16;
/** They leak 12 MB in a thousand. */
const videosMax = 250;

export function createPosters({
  msMax = posterMsMax,
  ...options
}: ReaderOptions & {
  /** For one poster, with the wait for its turn. */
  readonly msMax?: number;
}) {
  const reader = createVideoReader({ ...options, readMsMax: msMax, waitingMax, videosMax });
  return {
    /**
     * Returns a JPEG and the length of the video, as its header says; null if there is none. Never
     * throws. The file is only read.
     */
    async make(video: string, signal: AbortSignal) {
      using deadline = startDeadline(msMax, [signal]);
      const result = await reader.read(video, 'poster', deadline.signal);
      if (result && 'poster' in result) return { bytes: result.poster, seconds: result.seconds };
      if (result && 'failed' in result) {
        options.log.info({ detail: result.failed }, 'poster not made');
      }
      return null;
    },
    close: reader.close,
  };
}
