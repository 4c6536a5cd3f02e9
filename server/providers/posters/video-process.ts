/**
 * One process that reads videos. It inherits no secrets, reads our code and its own folder only,
 * writes nothing, and is killed when a video takes too long or too much memory.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { sep } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { VideoShape } from '@vidgen/renderer/source/measure.ts';
import type { VideoMessage, VideoRequest } from '@vidgen/renderer/video-worker.ts';
import { readJsonLines } from '../../process/child-lines.ts';
import { cpuMsOf } from '../../process/process-tree.ts';
import { confine, killConfined, permissionFlags } from '../../process/sandbox.ts';
import { limitedCommand, type RenderLimits, watchMemory } from '../preview/render-limits.ts';

export type VideoResult =
  | { readonly poster: Uint8Array; readonly seconds: number }
  | Exclude<VideoMessage, { readonly ready: true } | { readonly poster: string }>;

type Child = ChildProcessByStdio<Writable, Readable, null>;
type Line = Record<string, unknown> | undefined;

const script = fileURLToPath(import.meta.resolve('@vidgen/renderer/video-worker.ts'));
const heapMegabytesMax = 128;
/** Of all videos of a process together; one at 4k takes up to a second. */
const limits: Omit<RenderLimits, 'seconds'> = {
  cpuSeconds: 60,
  memoryMebibytes: 768,
  fileMebibytes: 0,
};
const posterBytesMax = 60_000;
/** Characters of an error message, and of a line with a poster. */
const detailMax = 200;
const lineMax = 100_000;

export class VideoProcess {
  readonly folder: string;
  readonly #child: Child;
  #onLine: (line: Line) => void = () => {};
  readonly #exited: Promise<void>;
  readonly #ready: Promise<void>;
  readonly #memory: { stop(): void };
  isAlive = true;
  videos = 0;

  constructor(folder: string) {
    this.folder = folder;
    this.#child = start(folder);
    const { memoryMebibytes } = limits;
    const onExceeded = () => this.#kill();
    this.#memory = watchMemory(this.#child.pid, { memoryMebibytes, onExceeded });
    this.#exited = new Promise((resolve) => {
      const onEnd = () => {
        this.isAlive = false;
        this.#memory.stop();
        resolve();
      };
      this.#child.once('error', onEnd);
      this.#child.once('exit', onEnd);
    });
    this.#ready = this.#nextLine().then(() => {});
    readJsonLines(this.#child.stdout, {
      onLine: (line) => this.#onLine(line),
      onOverflow: () => this.#kill(),
      lineCharactersMax: lineMax,
    });
    // It has just ended.
    this.#child.stdin.on('error', () => {});
    // It ends with this process, and keeps it alive only while it is waited for.
    this.#release();
  }

  /** One video at a time. Kills the process when the signal is aborted. */
  async read(request: VideoRequest, signal: AbortSignal): Promise<VideoResult> {
    this.videos += 1;
    this.#hold();
    const kill = () => this.#kill();
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    try {
      const ended = this.#exited.then((): VideoResult => ({ failed: 'the process ended' }));
      return await Promise.race([ended, this.#ask(request)]);
    } finally {
      signal.removeEventListener('abort', kill);
      this.#release();
    }
  }

  /** Its processor time so far; null where the platform does not tell. */
  cpuMs(): number | null {
    return cpuMsOf(this.#child.pid);
  }

  /** Its folder is deleted with it. */
  async end(): Promise<void> {
    this.#kill();
    this.#hold();
    await this.#exited;
    await rm(this.folder, { recursive: true, force: true });
  }

  async #ask(request: VideoRequest): Promise<VideoResult> {
    await this.#ready;
    const response = this.#nextLine();
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    const { failed, unavailable, seconds, poster, shape } = (await response) ?? {};
    if (typeof failed === 'string') return { failed: failed.slice(0, detailMax) };
    if (unavailable === true) return { unavailable };
    if (request.wanted === 'shape' && isShape(shape)) return { shape };
    const isLength = typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds);
    if (isLength && request.wanted === 'seconds') return { seconds };
    const bytes = typeof poster === 'string' ? Buffer.from(poster, 'base64') : null;
    if (isLength && bytes && isPoster(bytes)) return { poster: bytes, seconds };
    // A video has taken it over: the next one gets another process.
    this.#kill();
    return { failed: 'the process sent something else' };
  }

  /** What it sends without being asked ends it. */
  #nextLine(): Promise<Line> {
    return new Promise((resolve) => {
      this.#onLine = (line) => {
        this.#onLine = () => this.#kill();
        resolve(line);
      };
    });
  }

  #hold(): void {
    this.#child.ref();
    for (const pipe of this.#pipes()) pipe.ref();
  }

  #release(): void {
    this.#child.unref();
    for (const pipe of this.#pipes()) pipe.unref();
  }

  #pipes(): readonly Socket[] {
    return [this.#child.stdin as Socket, this.#child.stdout as unknown as Socket];
  }

  #kill(): void {
    this.isAlive = false;
    killConfined(this.#child);
  }
}

function isShape(value: unknown): value is VideoShape {
  const { seconds, width, height, hasSound } = (value ?? {}) as Record<string, unknown>;
  return typeof hasSound === 'boolean' && [seconds, width, height].every(Number.isFinite);
}

/** What is served must be an image, whatever the process sends. */
const isPoster = (bytes: Uint8Array): boolean =>
  bytes.length <= posterBytesMax && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

function start(folder: string): Child {
  const folders = { readable: [`${folder}${sep}`], writable: [] };
  const node = [
    process.execPath,
    `--max-old-space-size=${heapMegabytesMax}`,
    ...permissionFlags(folders),
    '--allow-addons',
    script,
  ];
  const command = limitedCommand({ ...limits, seconds: 0 }, confine(node, folders));
  return spawn(command.program, command.args, {
    // Only what a start needs. Anything else in our environment could be a secret.
    env: {
      PATH: process.env.PATH,
      SystemRoot: process.env.SystemRoot,
      LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
}
