/**
 * Runs the built-in renderer as a process of its own: hostile pictures are decoded there, and
 * nothing it does can take the service down. It inherits no secret, keeps to its limits, and is
 * gone before the answer is given.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import type { CheckReport, Report } from '@vidgen/renderer/render-job.ts';
import { startTimer } from '../../clock.ts';
import {
  type ExceededLimit,
  exceededLimit,
  limitedCommand,
  type RenderLimits,
  watchMemory,
} from './render-limits.ts';

export type RenderResult =
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
export const compileCacheFolder = 'compiled';
/** Enough of a crash's last words to know it by. */
const stderrTailMax = 2000;
/** Reports of the longest clip take a fiftieth of it. */
const stdoutBytesMax = 1024 ** 2;

/** What a program needs to start at all. Everything else of our environment may be a secret. */
const inheritedEnvNames = [
  ...['PATH', 'LD_LIBRARY_PATH', 'LANG', 'TZ'],
  ...['TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'windir'],
];

export async function runRenderer(options: RenderOptions): Promise<RenderResult> {
  let lastReport: Report | undefined;
  const { exitStatus, exceeded, stderrTail } = await runChild({
    ...options,
    args: [options.jobFile],
    onLine: (line) => {
      lastReport = readReport(line);
      if (lastReport && 'progress' in lastReport) options.onProgress(lastReport.progress);
    },
  });
  if (lastReport && 'done' in lastReport) return { outcome: 'done', seconds: lastReport.seconds };
  if (options.signal.aborted) return { outcome: 'stopped' };
  if (exceeded?.limit === 'seconds') {
    return { outcome: 'failed', reason: 'timed_out', detail: `the renderer ${exceeded.message}` };
  }
  if (lastReport && 'failed' in lastReport) {
    return { outcome: 'failed', reason: lastReport.failed, detail: lastReport.detail };
  }
  const how = exceeded?.message ?? `ended with ${exitStatus}`;
  const detail = `the renderer ${how}: ${stderrTail || 'no last words'}`;
  return { outcome: 'failed', reason: 'failed', detail };
}

/** Whether this machine can render, asked of a process too: loading native code may crash one. */
export async function checkRenderer(
  options: Pick<RenderOptions, 'renderer' | 'folder' | 'signal'>,
): Promise<CheckReport> {
  let report: CheckReport | undefined;
  const { exitStatus, exceeded, stderrTail } = await runChild({
    ...options,
    args: ['--check', options.folder],
    limits: checkLimits,
    onLine: (line) => {
      report = parse<CheckReport>(line);
    },
  });
  if (report) return report;
  const detail = `the renderer ${exceeded?.message ?? `ended with ${exitStatus}`}: ${stderrTail}`;
  return { ready: false, encoder: null, detail };
}

type ChildOptions = Pick<RenderOptions, 'renderer' | 'folder' | 'limits' | 'signal'> & {
  readonly args: readonly string[];
  readonly onLine: (line: string) => void;
};

type ChildResult = {
  /** The signal that killed it, or its code. */
  readonly exitStatus: string;
  readonly exceeded: ExceededLimit | null;
  readonly stderrTail: string;
};

type Child = ChildProcessByStdio<null, Readable, Readable>;

async function runChild(options: ChildOptions): Promise<ChildResult> {
  const { limits, signal, onLine } = options;
  let exceeded: ExceededLimit | null = null;
  if (signal.aborted) return { exitStatus: 'no start', exceeded, stderrTail: '' };
  const child = start(options);
  const stop = (): void => void child.kill('SIGKILL');
  const stopAt = (limit: ExceededLimit['limit'], message: string) => (): void => {
    exceeded ??= { limit, message };
    stop();
  };
  signal.addEventListener('abort', stop, { once: true });
  const timer = startTimer(
    limits.seconds * 1000,
    stopAt('seconds', `took more than ${limits.seconds} s`),
  );
  const { memoryMebibytes } = limits;
  const onExceeded = stopAt('memoryMebibytes', `took more than ${memoryMebibytes} MiB of memory`);
  const watch = watchMemory(child.pid, { memoryMebibytes, onExceeded });
  readLines(child.stdout, { onLine, onOverflow: stopAt('output', 'said too much') });
  let stderrTail = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-stderrTailMax);
  });
  try {
    const exitStatus = await new Promise<string>((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('close', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
    });
    return {
      exitStatus,
      exceeded: exceeded ?? exceededLimit(exitStatus, limits),
      stderrTail: stderrTail.trim(),
    };
  } finally {
    signal.removeEventListener('abort', stop);
    timer.stop();
    watch.stop();
  }
}

function start({ renderer, folder, limits, args }: ChildOptions): Child {
  const flags = [`--max-old-space-size=${heapMegabytesMax}`, ...permissions(folder)];
  const command = limitedCommand(limits, [process.execPath, ...flags, renderer, ...args]);
  // Never detached: it ends with our process group.
  return spawn(command.program, command.args, {
    // What the program's own files were compiled to, for the next one: half a second less each.
    env: { ...essentialEnv(), NODE_COMPILE_CACHE: join(folder, compileCacheFolder) },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

/** A program that native code may have taken over can send anything: no line is waited for long. */
function readLines(
  stream: Readable,
  { onLine, onOverflow }: { onLine: (line: string) => void; onOverflow: () => void },
): void {
  let rest = '';
  let stdoutBytes = 0;
  stream.setEncoding('utf8').on('data', (text: string) => {
    stdoutBytes += text.length;
    if (stdoutBytes > stdoutBytesMax) return onOverflow();
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

function essentialEnv(): Record<string, string> {
  const entries = inheritedEnvNames.map((name) => [name, process.env[name]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Undefined for anything but a whole and proper report. */
function readReport(line: string): Report | undefined {
  const parsed = parse<Record<string, unknown>>(line);
  if (typeof parsed?.progress === 'number') return { progress: parsed.progress };
  if (parsed?.done === true && typeof parsed.seconds === 'number') {
    return { done: true, seconds: parsed.seconds };
  }
  if (parsed?.failed !== 'material' && parsed?.failed !== 'failed') return undefined;
  return { failed: parsed.failed, detail: String(parsed.detail).slice(0, stderrTailMax) };
}

function parse<Line extends object>(line: string): Line | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}
