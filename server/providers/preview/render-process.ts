/**
 * Runs the built-in renderer as a process of its own: hostile pictures are decoded there, and
 * nothing it does can take the service down. It inherits no secret, keeps to its limits, and is
 * gone before the answer is given.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import type { CheckReport, Report } from '@vidgen/renderer/render-job.ts';
import { after } from '../../clock.ts';
import {
  type LimitPassed,
  limitedCommand,
  limitPassed,
  type RenderLimits,
  watchMemory,
} from './render-limits.ts';

export type RenderEnd =
  | { readonly outcome: 'done'; readonly seconds: number }
  | {
      readonly outcome: 'failed';
      readonly reason: 'material' | 'failed' | 'timed_out';
      readonly detail: string;
    }
  /** Killed, because the signal fired. */
  | { readonly outcome: 'stopped' };

export type RenderOptions = {
  readonly renderer: string;
  readonly jobFile: string;
  /** The only folder it may write to. */
  readonly folder: string;
  readonly limits: RenderLimits;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
};

/** Pixels live outside of this heap; a clip needs a few dozen megabytes of it. */
const heapMegabytesMax = 512;
/** A clip of one second, small; on a machine that is busy with the first start. */
const checkLimits: RenderLimits = {
  ...{ seconds: 300, cpuSeconds: 30 },
  ...{ memoryMebibytes: 1024, fileMebibytes: 64 },
};
/** Beside the clips, and like them gone with this process. */
export const compiledFolder = 'compiled';
/** Enough of a crash's last words to know it by. */
const lastWordsMax = 2000;
/** Reports of the longest clip take a fiftieth of it. */
const saidBytesMax = 1024 ** 2;

/** What a program needs to start at all. Everything else of our environment may be a secret. */
const passedOn = [
  ...['PATH', 'LD_LIBRARY_PATH', 'LANG', 'TZ'],
  ...['TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'windir'],
];

export async function runRenderer(options: RenderOptions): Promise<RenderEnd> {
  let last: Report | undefined;
  const { ended, passed, lastWords } = await runChild({
    ...options,
    words: [options.jobFile],
    onLine: (line) => {
      last = readReport(line);
      if (last && 'progress' in last) options.onProgress(last.progress);
    },
  });
  if (last && 'done' in last) return { outcome: 'done', seconds: last.seconds };
  if (options.signal.aborted) return { outcome: 'stopped' };
  if (passed?.limit === 'seconds') {
    return { outcome: 'failed', reason: 'timed_out', detail: `the renderer ${passed.words}` };
  }
  if (last && 'failed' in last) {
    return { outcome: 'failed', reason: last.failed, detail: last.detail };
  }
  const how = passed?.words ?? `ended with ${ended}`;
  const detail = `the renderer ${how}: ${lastWords || 'no last words'}`;
  return { outcome: 'failed', reason: 'failed', detail };
}

/** Whether this machine can render, asked of a process too: loading native code may crash one. */
export async function checkRenderer(
  options: Pick<RenderOptions, 'renderer' | 'folder' | 'signal'>,
): Promise<CheckReport> {
  let report: CheckReport | undefined;
  const { ended, passed, lastWords } = await runChild({
    ...options,
    words: ['--check', options.folder],
    limits: checkLimits,
    onLine: (line) => {
      report = parse<CheckReport>(line);
    },
  });
  if (report) return report;
  const detail = `the renderer ${passed?.words ?? `ended with ${ended}`}: ${lastWords}`;
  return { ready: false, encoder: null, detail };
}

type ChildOptions = Pick<RenderOptions, 'renderer' | 'folder' | 'limits' | 'signal'> & {
  readonly words: readonly string[];
  readonly onLine: (line: string) => void;
};

type ChildEnd = {
  /** The signal that killed it, or its code. */
  readonly ended: string;
  readonly passed: LimitPassed | null;
  readonly lastWords: string;
};

type Child = ChildProcessByStdio<null, Readable, Readable>;

async function runChild(options: ChildOptions): Promise<ChildEnd> {
  const { limits, signal, onLine } = options;
  let passed: LimitPassed | null = null;
  if (signal.aborted) return { ended: 'no start', passed, lastWords: '' };
  const child = start(options);
  const stop = (): void => void child.kill('SIGKILL');
  const stopAt = (limit: LimitPassed['limit'], words: string) => (): void => {
    passed ??= { limit, words };
    stop();
  };
  signal.addEventListener('abort', stop, { once: true });
  const timer = after(
    limits.seconds * 1000,
    stopAt('seconds', `took more than ${limits.seconds} s`),
  );
  const { memoryMebibytes } = limits;
  const onPassed = stopAt('memoryMebibytes', `took more than ${memoryMebibytes} MiB of memory`);
  const watch = watchMemory(child.pid, { memoryMebibytes, onPassed });
  readLines(child.stdout, { onLine, onFlood: stopAt('said', 'said too much') });
  let lastWords = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-lastWordsMax);
  });
  try {
    const ended = await new Promise<string>((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('close', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
    });
    return { ended, passed: passed ?? limitPassed(ended, limits), lastWords: lastWords.trim() };
  } finally {
    signal.removeEventListener('abort', stop);
    timer.stop();
    watch.stop();
  }
}

function start({ renderer, folder, limits, words }: ChildOptions): Child {
  const flags = [`--max-old-space-size=${heapMegabytesMax}`, ...permissions(folder)];
  const command = limitedCommand(limits, [process.execPath, ...flags, renderer, ...words]);
  // Never detached: it ends with our process group.
  return spawn(command.program, command.words, {
    // What the program's own files were compiled to, for the next one: half a second less each.
    env: { ...essentials(), NODE_COMPILE_CACHE: join(folder, compiledFolder) },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

/** A program that native code may have taken over can send anything: no line is waited for long. */
function readLines(
  stream: Readable,
  { onLine, onFlood }: { onLine: (line: string) => void; onFlood: () => void },
): void {
  let rest = '';
  let saidBytes = 0;
  stream.setEncoding('utf8').on('data', (text: string) => {
    saidBytes += text.length;
    if (saidBytes > saidBytesMax) return onFlood();
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

/** A seat belt, not a wall: it holds back scripts, and native code only by accident. */
function permissions(folder: string): string[] {
  const files = ['--allow-fs-read=*', `--allow-fs-write=${folder}${sep}`];
  // The encoder for platforms without native code puts sound on a thread of its own.
  return ['--permission', '--allow-addons', '--allow-worker', ...files, '--no-warnings'];
}

function essentials(): Record<string, string> {
  const entries = passedOn.map((name) => [name, process.env[name]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Undefined for anything but a whole and proper report. */
function readReport(line: string): Report | undefined {
  const said = parse<Record<string, unknown>>(line);
  if (typeof said?.progress === 'number') return { progress: said.progress };
  if (said?.done === true && typeof said.seconds === 'number') {
    return { done: true, seconds: said.seconds };
  }
  if (said?.failed !== 'material' && said?.failed !== 'failed') return undefined;
  return { failed: said.failed, detail: String(said.detail).slice(0, lastWordsMax) };
}

function parse<Line extends object>(line: string): Line | undefined {
  try {
    const said = JSON.parse(line) as unknown;
    return typeof said === 'object' && said !== null ? (said as Line) : undefined;
  } catch {
    return undefined;
  }
}
