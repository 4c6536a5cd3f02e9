/**
 * One process that decodes videos for their posters. It inherits no secrets, reads our code and its
 * own folder only, writes nothing, and is killed when a video takes too long or too much memory.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PosterMessage, PosterRequest } from '@vidgen/renderer/poster-worker.ts';
import { confine, killConfined, permissionFlags } from '../../sandbox.ts';
import { limitedCommand, type RenderLimits, watchMemory } from '../preview/render-limits.ts';

type Made = { readonly poster: Uint8Array } | { readonly failed: string };

const script = fileURLToPath(import.meta.resolve('@vidgen/renderer/poster-worker.ts'));
const heapMegabytesMax = 128;
/** Of all videos of a process together; one at 4k takes up to a second. */
const limits: Omit<RenderLimits, 'seconds'> = {
  cpuSeconds: 60,
  memoryMebibytes: 768,
  fileMebibytes: 0,
};
const posterBytesMax = 60_000;
/** Characters of an error message. */
const detailMax = 200;

export class PosterProcess {
  readonly folder: string;
  readonly #child: ChildProcess;
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
    this.#ready = new Promise((resolve) => this.#child.once('message', () => resolve()));
    // It ends with this process, and keeps it alive only while it is waited for.
    this.#release();
  }

  /** One video at a time. Kills the process when the signal is aborted. */
  async make(file: string, signal: AbortSignal): Promise<Made> {
    this.videos += 1;
    this.#hold();
    const kill = () => this.#kill();
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    try {
      const ended = this.#exited.then((): Made => ({ failed: 'the process ended' }));
      return await Promise.race([ended, this.#ask(file)]);
    } finally {
      signal.removeEventListener('abort', kill);
      this.#release();
    }
  }

  /** Its folder is deleted with it. */
  async end(): Promise<void> {
    this.#kill();
    this.#hold();
    await this.#exited;
    await rm(this.folder, { recursive: true, force: true });
  }

  async #ask(file: string): Promise<Made> {
    await this.#ready;
    const response = new Promise<PosterMessage>((resolve) =>
      this.#child.once('message', (message) => resolve(message as PosterMessage)),
    );
    this.#child.send({ file } satisfies PosterRequest, () => {});
    const message = await response;
    if ('poster' in message && isPoster(message.poster)) return { poster: message.poster };
    if ('failed' in message) return { failed: String(message.failed).slice(0, detailMax) };
    // A video has taken it over: the next one gets another process.
    this.#kill();
    return { failed: 'the process sent no JPEG' };
  }

  #hold(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  #release(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #kill(): void {
    this.isAlive = false;
    killConfined(this.#child);
  }
}

/** What is served must be an image, whatever the process sends. */
const isPoster = (bytes: unknown): boolean =>
  bytes instanceof Uint8Array &&
  bytes.length <= posterBytesMax &&
  bytes[0] === 0xff &&
  bytes[1] === 0xd8 &&
  bytes[2] === 0xff;

function start(folder: string): ChildProcess {
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
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  });
}
