/**
 * Runs the built-in renderer as a process of its own: hostile pictures are decoded there, and
 * nothing it does can take the service down. It inherits no secret, and is gone before the answer
 * is given.
 */
import { spawn } from 'node:child_process';
import { sep } from 'node:path';
import { createInterface } from 'node:readline';
import type { CheckReport, Report } from '@vidgen/preview/job.ts';
import { timeoutSignal } from '../clock.ts';

export type RenderEnd =
  | { readonly outcome: 'done'; readonly seconds: number }
  | { readonly outcome: 'failed'; readonly reason: 'material' | 'failed'; readonly detail: string }
  /** Killed, because the signal fired. */
  | { readonly outcome: 'stopped' };

export type RenderOptions = {
  readonly renderer: string;
  readonly jobFile: string;
  /** The only folder it may write to. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
};

/** Pixels live outside of this heap; a clip needs a few dozen megabytes of it. */
const heapMegabytesMax = 512;
const checkMsMax = 20_000;
/** Enough of a crash's last words to know it by. */
const lastWordsMax = 2000;

/** What a program needs to start at all. Everything else of our environment may be a secret. */
const passedOn = [
  ...['PATH', 'LD_LIBRARY_PATH', 'LANG', 'TZ'],
  ...['TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'windir'],
];

export async function runRenderer(options: RenderOptions): Promise<RenderEnd> {
  let last: Report | undefined;
  const { ended, lastWords } = await runChild({
    ...options,
    argument: options.jobFile,
    onLine: (line) => {
      last = parse<Report>(line);
      if (last && 'progress' in last) options.onProgress(last.progress);
    },
  });
  if (last && 'done' in last) return { outcome: 'done', seconds: last.seconds };
  if (options.signal.aborted) return { outcome: 'stopped' };
  if (last && 'failed' in last) {
    return { outcome: 'failed', reason: last.failed, detail: last.detail };
  }
  const detail = `the renderer ended with ${ended}: ${lastWords || 'no last words'}`;
  return { outcome: 'failed', reason: 'failed', detail };
}

/** Whether this machine can render, asked of a process too: loading native code may crash one. */
export async function checkRenderer(renderer: string): Promise<CheckReport> {
  let report: CheckReport | undefined;
  const { ended, lastWords } = await runChild({
    renderer,
    argument: '--check',
    signal: timeoutSignal(checkMsMax),
    onLine: (line) => {
      report = parse<CheckReport>(line);
    },
  });
  return report ?? { ready: false, detail: `the renderer ended with ${ended}: ${lastWords}` };
}

type ChildOptions = Pick<RenderOptions, 'renderer' | 'signal'> & {
  readonly argument: string;
  readonly folder?: string;
  readonly onLine: (line: string) => void;
};

async function runChild(options: ChildOptions): Promise<{ ended: string; lastWords: string }> {
  const { renderer, argument, signal, onLine } = options;
  if (signal.aborted) return { ended: 'no start', lastWords: '' };
  const flags = [`--max-old-space-size=${heapMegabytesMax}`, ...permissions(options.folder)];
  // Never detached: it ends with our process group.
  const child = spawn(process.execPath, [...flags, renderer, argument], {
    env: essentials(),
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  let lastWords = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-lastWordsMax);
  });
  createInterface({ input: child.stdout }).on('line', onLine);
  try {
    const ended = await new Promise<string>((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('close', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
    });
    return { ended, lastWords: lastWords.trim() };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A seat belt, not a wall: it holds back scripts, and native code only by accident. */
function permissions(folder: string | undefined): string[] {
  const write = folder === undefined ? [] : [`--allow-fs-write=${folder}${sep}`];
  return ['--permission', '--allow-addons', '--allow-fs-read=*', ...write, '--no-warnings'];
}

function essentials(): Record<string, string> {
  const entries = passedOn.map((name) => [name, process.env[name]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function parse<Line>(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}
