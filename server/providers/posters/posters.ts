/**
 * Makes the posters of collected videos. A provider's bytes are decoded in a process of their own,
 * one video at a time, within a time and memory limit: a hostile video costs its own poster and
 * that process, never the task.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startDeadline, startTimer } from '../../clock.ts';
import { createKeyedSemaphore } from '../../egress/keyed-semaphore.ts';
import type { Log } from '../../log.ts';
import { PosterProcess } from './poster-process.ts';

export type Posters = {
  /** Returns a JPEG; null if there is none. Never throws. The file is only read. */
  make(video: string, signal: AbortSignal): Promise<Uint8Array | null>;
  close(): Promise<void>;
};

/** Waiting included; an ordinary poster takes 0.03 s, and 0.3 s with the start of the process. */
const posterMsMax = 10_000;
/** Of these, the last waits less than a second. More would delay the end of tasks. */
const waitingMax = 16;
/** A process is replaced after this many videos, with what they leaked: 12 MB in a thousand. */
const videosMax = 250;
/** An idle process holds about 130 MB. */
const idleMsMax = 30_000;

const notAcquired = (): void => {};

export function createPosters({
  tempFolder,
  log,
  msMax = posterMsMax,
}: {
  readonly tempFolder: string;
  readonly log: Log;
  /** For one poster, with the wait for its turn. */
  readonly msMax?: number;
}): Posters {
  const slots = createKeyedSemaphore(1);
  let waiting = 0;
  let isClosed = false;
  let current: PosterProcess | null = null;
  let idle = { stop: () => {} };

  const end = async (): Promise<void> => {
    const ended = current;
    current = null;
    idle.stop();
    await ended?.end();
  };

  const makeAlone = async (video: string, signal: AbortSignal): Promise<Uint8Array | null> => {
    idle.stop();
    if (current && (current.videos >= videosMax || !current.isAlive)) await end();
    current ??= new PosterProcess(await createFolder(tempFolder));
    const file = join(current.folder, randomUUID());
    try {
      // The process sees its own folder only. A link costs no copy, but needs the same file system.
      await link(video, file).catch(() => copyFile(video, file));
      const made = await current.make(file, signal);
      if ('poster' in made) return made.poster;
      log.info({ detail: made.failed }, 'poster not made');
      return null;
    } finally {
      await rm(file, { force: true });
      idle = startTimer(idleMsMax, () => void end());
    }
  };

  return {
    async make(video, signal) {
      if (isClosed || waiting >= waitingMax) return null;
      waiting += 1;
      using deadline = startDeadline(msMax, [signal]);
      let release = notAcquired;
      try {
        release = await slots.acquire('posters', deadline.signal);
        return isClosed ? null : await makeAlone(video, deadline.signal);
      } catch (error) {
        log.warn({ error }, 'poster not made');
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
  const folder = join(tempFolder, `posters-${randomUUID()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
