/**
 * Reads videos in a process of their own, one at a time, within a time and memory limit: a hostile
 * video costs its own result and that process.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { VideoRequest } from '@vidgen/renderer/video-worker.ts';
import { createKeyedSemaphore } from '../../egress/keyed-semaphore.ts';
import { startDeadline, startTimer } from '../../process/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { VideoProcess, type VideoResult } from './video-process.ts';

export type ReaderOptions = {
  readonly tempFolder: string;
  readonly log: Log;
};

/** An idle process holds about 130 MB. */
const idleMsMax = 30_000;

const notAcquired = (): void => {};

export function createVideoReader({
  tempFolder,
  log,
  readMsMax,
  waitingMax,
  videosMax,
}: ReaderOptions & {
  /** For one video, from its turn on. */
  readonly readMsMax: number;
  /** More videos get no turn. */
  readonly waitingMax: number;
  /** A process is replaced after this many videos, with what they leaked. */
  readonly videosMax: number;
}) {
  const slots = createKeyedSemaphore(1);
  let waiting = 0;
  let isClosed = false;
  let current: VideoProcess | null = null;
  let idle = { stop: () => {} };

  const end = async (): Promise<void> => {
    const ended = current;
    current = null;
    idle.stop();
    await ended?.end();
  };

  const readAlone = async (
    video: string,
    wanted: VideoRequest['wanted'],
    signal: AbortSignal,
  ): Promise<VideoResult | null> => {
    idle.stop();
    const isUsable = current?.isAlive && current.videos < videosMax && existsSync(current.folder);
    if (!isUsable) await end();
    current ??= new VideoProcess(await createFolder(tempFolder));
    const process = current;
    const file = join(process.folder, randomUUID());
    using deadline = startDeadline(readMsMax, [signal]);
    const startedCpuMs = process.cpuMs() ?? 0;
    let usedMs: number | null = null;
    deadline.signal.addEventListener('abort', () => {
      usedMs = process.cpuMs();
    });
    try {
      // The process sees its own folder only. A link costs no copy, but needs the same file system.
      await link(video, file).catch(() => copyFile(video, file));
      const result = await process.read({ file, wanted }, deadline.signal);
      // Of a busy machine it got less processor time than it may take.
      const isOurLoad = deadline.hasPassed && (usedMs ?? 0) - startedCpuMs < readMsMax / 2;
      return signal.aborted || isOurLoad ? null : result;
    } finally {
      await rm(file, { force: true });
      idle = startTimer(idleMsMax, () => void end());
    }
  };

  return {
    /**
     * Null if the video did not get its turn, which says nothing about it. Never throws. The file
     * is only read.
     */
    async read(
      video: string,
      wanted: VideoRequest['wanted'],
      signal: AbortSignal,
    ): Promise<VideoResult | null> {
      if (isClosed || waiting >= waitingMax) return null;
      waiting += 1;
      let release = notAcquired;
      try {
        release = await slots.acquire('videos', signal);
        return isClosed ? null : await readAlone(video, wanted, signal);
      } catch (error) {
        if (!signal.aborted) log.warn({ error }, 'video not read');
        // Its folder may be gone; not while another video has the slot.
        if (release !== notAcquired) await end();
        return null;
      } finally {
        waiting -= 1;
        release();
      }
    },
    async close() {
      isClosed = true;
      await end();
    },
  };
}

/** Below the downloads, where the sweep deletes what a crash leaves behind. */
async function createFolder(tempFolder: string): Promise<string> {
  const folder = join(tempFolder, `videos-${randomUUID()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
