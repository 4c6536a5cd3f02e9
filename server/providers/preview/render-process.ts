/**
 * Runs the renderer in its own process, where hostile images are decoded without risk for the
 * service. The process inherits no secrets, has limits, and has ended before the result is
 * returned.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { dirname, join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import type { CheckReport, Report } from '@vidgen/renderer/render-job.ts';
import { readJsonLines } from '../../process/child-lines.ts';
import { startTimer } from '../../process/clock.ts';
import {
  confine,
  exitSignal,
  killConfined,
  permissionFlags,
  type SandboxFolders,
} from '../../process/sandbox.ts';
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
  /** Ended by us, or by a signal that the service got as well: another poll renders it again. */
  | { readonly outcome: 'stopped' };

type RenderOptions = {
  readonly renderer: string;
  readonly jobFile: string;
  /** The only folder that it may write to, and that it may read besides our code. */
  readonly folder: string;
  /** Another one, for tests that record what ran. */
  readonly sharedFolder?: string | undefined;
  readonly limits: RenderLimits;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
};

/** Pixels are outside of this heap; a video needs a few dozen megabytes of it. */
const heapMegabytesMax = 512;
/** For one small second of video, on a machine that is busy starting. */
const checkLimits: RenderLimits = {
  seconds: 300,
  cpuSeconds: 30,
  memoryMebibytes: 1024,
  fileMebibytes: 64,
};
/** Below the folder of a render, and of the self-test, which fills it without any material. */
export const compileCacheFolder = 'compiled';
/** Characters of stderr that are kept for the error message. */
const stderrTailMax = 2000;
/** The longest video reports about a fiftieth of it. */
const stdoutCharactersMax = 1024 ** 2;
/** A renderer that has just been started does not ignore them yet. */
const interrupts: ReadonlySet<string> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

/** What a program needs to start. Other environment variables may be secrets. */
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
  if (options.signal.aborted || interrupts.has(exitStatus)) return { outcome: 'stopped' };
  if (exceeded?.limit === 'seconds') {
    return { outcome: 'failed', reason: 'timed_out', detail: `the renderer ${exceeded.message}` };
  }
  if (lastReport && 'failed' in lastReport) {
    return { outcome: 'failed', reason: lastReport.failed, detail: lastReport.detail };
  }
  const how = exceeded?.message ?? `ended with ${exitStatus}`;
  const detail = `the renderer ${how}: ${stderrTail || 'no error output'}`;
  return { outcome: 'failed', reason: 'failed', detail };
}

/** Checks in a process too, because loading native code may crash it. */
export async function checkRenderer(
  options: Pick<RenderOptions, 'renderer' | 'folder' | 'signal'>,
): Promise<CheckReport> {
  let report: CheckReport | undefined;
  const { exitStatus, exceeded, stderrTail } = await runChild({
    ...options,
    args: ['--check', options.folder],
    limits: checkLimits,
    onLine: (line) => {
      report = line as CheckReport | undefined;
    },
  });
  if (report) return report;
  const detail = `the renderer ${exceeded?.message ?? `ended with ${exitStatus}`}: ${stderrTail}`;
  return { ready: false, encoder: null, detail };
}

type ChildOptions = Pick<
  RenderOptions,
  'renderer' | 'folder' | 'sharedFolder' | 'limits' | 'signal'
> & {
  readonly args: readonly string[];
  readonly onLine: (line: Record<string, unknown> | undefined) => void;
};

type Child = ChildProcessByStdio<null, Readable, Readable>;

async function runChild(options: ChildOptions) {
  const { limits, signal, onLine } = options;
  let exceeded: ExceededLimit | null = null;
  if (signal.aborted) return { exitStatus: 'not started', exceeded, stderrTail: '' };
  const child = start(options);
  const stop = (): void => killConfined(child);
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
  readJsonLines(child.stdout, {
    onLine,
    lineCharactersMax: stdoutCharactersMax,
    charactersMax: stdoutCharactersMax,
    onOverflow: stopAt('output', 'wrote too much output'),
  });
  let stderrTail = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-stderrTailMax);
  });
  try {
    const exitStatus = await new Promise<string>((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('close', (code, signal) => resolve(exitSignal(code, signal) ?? `code ${code}`));
    });
    return {
      /** The signal that killed it, or its exit code. */
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

function start(options: ChildOptions): Child {
  const { renderer, folder, limits, args } = options;
  const folders = foldersOf(options);
  const flags = [
    `--max-old-space-size=${heapMegabytesMax}`,
    // Otherwise a seventh of the processor time goes into collecting 10 MB again and again.
    ...['--initial-old-space-size=128', '--min-semi-space-size=8'],
    ...permissionFlags(folders),
    // Clips are encoded in a worker thread.
    ...['--allow-addons', '--allow-worker'],
  ];
  const program = [process.execPath, ...flags, renderer, ...args];
  const command = limitedCommand(limits, confine(program, folders));
  // Not detached, so that it ends with our process group.
  return spawn(command.program, command.args, {
    // The compile cache saves half a second per render. A render has its own copy, so that a
    // compromised one cannot plant code for the next.
    env: { ...essentialEnv(), NODE_COMPILE_CACHE: join(folder, compileCacheFolder) },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

function foldersOf({ renderer, folder, sharedFolder }: ChildOptions): SandboxFolders {
  const writable = [folder, ...(sharedFolder === undefined ? [] : [sharedFolder])];
  const withSeparator = (path: string) => `${path}${sep}`;
  return {
    readable: [withSeparator(dirname(renderer))],
    writable: writable.map(withSeparator),
  };
}

function essentialEnv(): Record<string, string> {
  const entries = inheritedEnvNames.map((name) => [name, process.env[name]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Returns undefined for an incomplete or malformed report. */
function readReport(parsed: Record<string, unknown> | undefined): Report | undefined {
  if (typeof parsed?.progress === 'number') return { progress: parsed.progress };
  if (parsed?.done === true && typeof parsed.seconds === 'number') {
    return { done: true, seconds: parsed.seconds };
  }
  if (parsed?.failed !== 'material' && parsed?.failed !== 'failed') return undefined;
  return { failed: parsed.failed, detail: String(parsed.detail).slice(0, stderrTailMax) };
}
