/**
 * Measures how long FFmpeg shows a video, as most upstreams do. It reads files in other ways than
 * our own parser, so an edit is as long as the longer of both.
 */
import type { VideoShape } from '@vidgen/renderer/source/measure.ts';
import { createVideoReader, type ReaderOptions } from './video-reader.ts';

export type VideoLengths = ReturnType<typeof createVideoLengths>;

/** An ordinary video of 200 MiB takes a second. */
const readMsMax = 20_000;
/** As many as are downloaded for two accounts. */
const waitingMax = 8;
/** Together they may take the processor time of a process. */
const videosMax = 20;

export function createVideoLengths(options: ReaderOptions) {
  const reader = createVideoReader({ ...options, readMsMax, waitingMax, videosMax });
  return {
    /**
     * Returns seconds; null if FFmpeg finds none, and `unavailable` where it is not installed.
     * Throws when only our load kept it from being measured. The file is only read.
     */
    async measure(video: string, signal: AbortSignal): Promise<number | 'unavailable' | null> {
      const result = await reader.read(video, 'seconds', signal);
      if (!result) throw new Error('no time to measure');
      if ('unavailable' in result) return 'unavailable';
      return 'seconds' in result ? result.seconds : null;
    },
    /** Null where FFmpeg is not installed. Throws when it cannot be read as a video. */
    async shapeOf(video: string, signal: AbortSignal): Promise<VideoShape | null> {
      const result = await reader.read(video, 'shape', signal);
      if (result && 'shape' in result) return result.shape;
      if (result && 'unavailable' in result) return null;
      throw new Error(result && 'failed' in result ? result.failed : 'it could not be measured');
    },
    close: reader.close,
  };
}
