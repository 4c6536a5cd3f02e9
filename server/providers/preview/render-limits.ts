/**
 * Limits of one render: time, CPU time, memory and file size. Each is far above what a normal video
 * needs and far below what would harm the machine, so that a hostile image ends only its own
 * render.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { editingDuration, type Generation } from '@vidgen/contract/create-generation.ts';
import { framesPerSecond } from '@vidgen/renderer/render-job.ts';
import { sizeOf } from '@vidgen/renderer/size.ts';
import { startInterval } from '../../process/clock.ts';
import { processTree } from '../../process/process-tree.ts';

export type RenderLimits = {
  readonly seconds: number;
  /** Of all threads. Also ends a render whose parent process has crashed. */
  readonly cpuSeconds: number;
  /** Resident memory, not address space. */
  readonly memoryMebibytes: number;
  /** Per file. */
  readonly fileMebibytes: number;
};

/** The limit that ended a render; `message` follows "the renderer". */
export type ExceededLimit = {
  readonly limit: keyof RenderLimits | 'output';
  readonly message: string;
};

/** An edit is as long as its source, which is at most 30 s (docs/spec.md 4.3.6). */
const editSecondsMax = 30;

const megapixelsOfFrame = (generation: Generation): number => {
  const { width, height } = sizeOf(generation, null);
  return (width * height) / 1e6;
};

const secondsMax = ({ duration }: Generation): number =>
  duration === editingDuration ? editSecondsMax : duration;

/** Of all frames together; the render time is proportional to it. */
export const megapixelsIn = (generation: Generation): number =>
  megapixelsOfFrame(generation) * framesPerSecond * secondsMax(generation);

/** Per video material: the frames that its decoder keeps at the largest size. */
const videoMebibytes = 96;
/** Per audio material: 30 s of stereo, decoded at once. */
const audioMebibytes = 16;
/** Per video or audio material. */
const readSeconds = 30;

/** Renders have a low priority, so on a busy machine they get only a part of a CPU. */
const wallSecondsPerCpuSecond = 5;

/**
 * Measured: 0.03 to 0.1 s of CPU time per megapixel; 220 MiB, plus 120 MiB per megapixel of a
 * frame; 1 MiB per second and megapixel of a frame. Time has the widest margin, so that it only
 * ends a render that hangs. Images are decoded in addition to the video, so memory has a fixed
 * margin.
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
 * The kernel's limit behind `watchMemory`, for a process that allocates faster than it is checked.
 * It counts reserved address space: V8, thread stacks and shared libraries reserve up to this much
 * before the first frame.
 */
const reservedMebibytes = 4096;
/** A container image without it is treated like Windows. */
const shell = '/bin/sh';
/** Between SIGXCPU, which names the reason, and SIGKILL. */
const graceSeconds = 5;

/**
 * Returns the command with its limits. A shell sets them and is then replaced by the program. A
 * lower limit of the system stays. On Windows only time and heap are limited.
 */
export function limitedCommand(
  limits: RenderLimits,
  command: readonly string[],
): { readonly program: string; readonly args: readonly string[] } {
  const [program = '', ...args] = command;
  if (process.platform === 'win32' || !existsSync(shell)) return { program, args };
  const { cpuSeconds, memoryMebibytes, fileMebibytes } = limits;
  const settings = [
    '-c 0', // No core dumps, which could contain a customer's data.
    `-f ${fileMebibytes * 2048}`, // In blocks of 512 bytes.
    `-d ${(memoryMebibytes + reservedMebibytes) * 1024}`, // Linux only; macOS ignores it.
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
 * Returns the limit that a signal of the kernel reports, or null. A file that is too large causes
 * no signal: writing fails, and the renderer reports it.
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
 * Calls `onExceeded` once when a process and its descendants use more memory than allowed. The
 * kernel cannot limit resident memory, so it is polled. Linux only: elsewhere every check would
 * need another process.
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
    const used = await Promise.all(processTree(pid).map(residentKibibytes));
    if (used.reduce((total, one) => total + one, 0) <= memoryMebibytes * 1024) return;
    timer.stop();
    onExceeded();
  });
  return timer;
}

async function residentKibibytes(pid: number): Promise<number> {
  // The file is missing when the process has just ended.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
}
