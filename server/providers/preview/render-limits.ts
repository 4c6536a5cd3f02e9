/**
 * What one render may take: time, processor time, memory, and the size of a file. Each is far above
 * what a sound clip needs and far below what would hurt the machine, so that a hostile picture ends
 * its own render and nothing else.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { framesPerSecond } from '@vidgen/renderer/render-job.ts';
import { sizeOf } from '@vidgen/renderer/size.ts';
import { startInterval } from '../../clock.ts';

export type RenderLimits = {
  readonly seconds: number;
  /** Of all its threads. Also ends a render that nobody is left to kill. */
  readonly cpuSeconds: number;
  /** In use at once: pages that are there, not addresses that are taken. */
  readonly memoryMebibytes: number;
  /** Of each file it writes. */
  readonly fileMebibytes: number;
};

/** The limit that was the end of a render, in words that follow `the renderer`. */
export type ExceededLimit = {
  readonly limit: keyof RenderLimits | 'output';
  readonly message: string;
};

/** An edit follows its source, which is 30 s at the most (Spec 4.3.6). */
const editSecondsMax = 30;

const megapixelsOfFrame = (generation: Generation): number => {
  const { width, height } = sizeOf(generation, null);
  return (width * height) / 1e6;
};

const secondsMax = ({ duration }: Generation): number =>
  duration === -1 ? editSecondsMax : duration;

/** Millions of pixels in the whole clip: what a render's time goes by. */
export const megapixelsIn = (generation: Generation): number =>
  megapixelsOfFrame(generation) * framesPerSecond * secondsMax(generation);

/** For each film, at the largest size that is decoded: the pictures that its decoder keeps. */
const videoMebibytes = 96;
/** For each song: all of it at once, were it 30 s of stereo. */
const audioMebibytes = 16;
/** To read either. */
const readSeconds = 30;

/** Renders give way to all else: on a busy machine a sound one gets a part of a processor. */
const wallSecondsPerCpuSecond = 5;

/**
 * Measured: 0.04 to 0.1 s of a processor a megapixel; 220 MiB, and 120 for each megapixel of a
 * frame; 1 MiB a second and megapixel of a frame. Time has the widest margin: it ends only what
 * hangs. Pictures are decoded beside the clip, so memory has a fixed one.
 */
export function renderLimitsOf(generation: Generation): RenderLimits {
  const clip = megapixelsIn(generation);
  const frame = megapixelsOfFrame(generation);
  const videos = generation.videoUrls.length;
  const audios = generation.audioUrls.length;
  const cpuSeconds = Math.ceil(60 + clip * 0.5 + (videos + audios) * readSeconds);
  return {
    seconds: cpuSeconds * wallSecondsPerCpuSecond,
    cpuSeconds,
    memoryMebibytes: Math.ceil(
      768 + frame * 160 + videos * videoMebibytes + audios * audioMebibytes,
    ),
    fileMebibytes: Math.ceil(16 + secondsMax(generation) * frame * 6),
  };
}

/**
 * The kernel's own wall behind the watch below, for what allocates faster than that looks. It
 * counts what is reserved and not what is used: V8, thread stacks and shared libraries reserve up
 * to this much before the first frame.
 */
const reservedMebibytes = 4096;
/** Images without one are as good as Windows here. */
const shell = '/bin/sh';
/** Between the signal that names the reason and the one that cannot be ignored. */
const graceSeconds = 5;

/**
 * The command under its limits. A shell sets them, then the program takes its place, under the same
 * process id. A limit that the system already holds lower stays as it is. Windows has none of
 * these: there, time and the heap are all that is bounded.
 */
export function limitedCommand(
  limits: RenderLimits,
  command: readonly string[],
): { readonly program: string; readonly args: readonly string[] } {
  const [program = '', ...args] = command;
  if (process.platform === 'win32' || !existsSync(shell)) return { program, args };
  const { cpuSeconds, memoryMebibytes, fileMebibytes } = limits;
  const settings = [
    '-c 0', // No core file of what a customer made us crash on.
    `-f ${fileMebibytes * 2048}`, // In blocks of 512 bytes.
    `-d ${(memoryMebibytes + reservedMebibytes) * 1024}`, // Linux only; macOS takes no notice.
    `-S -t ${cpuSeconds}`,
    `-H -t ${cpuSeconds + graceSeconds}`,
  ];
  const script = [
    ...settings.map((setting) => `ulimit ${setting} 2>/dev/null`),
    'exec "$0" "$@"',
  ].join('; ');
  return { program: shell, args: ['-c', script, program, ...args] };
}

/**
 * Which limit a signal of the kernel's tells of; null for any other end. A file that is too large
 * gives no signal: writing to it fails, and the program says so itself.
 */
export const exceededLimit = (
  exitStatus: string,
  { cpuSeconds }: RenderLimits,
): ExceededLimit | null =>
  exitStatus === 'SIGXCPU'
    ? { limit: 'cpuSeconds', message: `used more than ${cpuSeconds} s of processor time` }
    : null;

const watchMs = 200;

/**
 * Calls once when a process has taken more memory than it may. No limit of the kernel's counts
 * pages in use, so we look ourselves. Linux only: elsewhere nothing tells what a process has, short
 * of running another program each time.
 */
export function watchMemory(
  pid: number | undefined,
  {
    memoryMebibytes,
    onExceeded,
  }: Pick<RenderLimits, 'memoryMebibytes'> & { onExceeded: () => void },
): { stop(): void } {
  if (process.platform !== 'linux' || pid === undefined) return { stop: () => {} };
  const timer = startInterval(watchMs, async () => {
    // Not there any more: it has just ended.
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
    if (Number(kibibytes) <= memoryMebibytes * 1024) return;
    timer.stop();
    onExceeded();
  });
  return timer;
}
