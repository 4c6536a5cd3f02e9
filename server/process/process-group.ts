/**
 * The service as several processes of one machine (`npm start -- --processes N`): API processes
 * share the port, and one worker runs jobs. A process that ends is replaced, after a growing delay
 * while its successors end soon too.
 */
import cluster, { type Worker } from 'node:cluster';
import type { Role } from '../config/config.ts';
import type { Log } from '../telemetry/log.ts';
import { monotonicMs, sleep, startTimer } from './clock.ts';

const firstDelayMs = 250;
const delayMsMax = 30_000;
/** A process that ran this long had recovered: its end counts as the first. */
const stableMs = 60_000;
/** A process stops by itself within 20 seconds, after it was drained for up to 20. */
const killMs = 45_000;

/** Whether another process started this one as part of a group. */
export const isGroupMember = cluster.isWorker;

export type ProcessGroup = {
  /** Resolves when every process serves; rejects if one ends before. */
  readonly serving: Promise<unknown>;
  stop(): Promise<void>;
};

type GroupOptions = {
  readonly roles: readonly Role[];
  /** Of each process, with its secrets, which this process no longer has. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
};

export function startProcessGroup({ roles, environment, log }: GroupOptions): ProcessGroup {
  cluster.setupPrimary({ args: [] });
  const stopping = new AbortController();
  const members = roles.map((role) => {
    const start = () => cluster.fork({ ...environment, VIDGEN_ROLE: role });
    const first = start();
    const ended = keepRunning({ role, first, start, log, stopping: stopping.signal });
    return { serving: waitUntilServing(first, role), ended };
  });
  return {
    serving: Promise.all(members.map(({ serving }) => serving)),
    async stop() {
      stopping.abort();
      await Promise.all(members.map(({ ended }) => ended));
    },
  };
}

/** Reports to the process that started this one. Does nothing outside a group. */
export function reportServing(): void {
  if (isGroupMember) process.send!('serving');
}

/**
 * When the process that started this one is killed, Node would end this one at once. It is to
 * finish its work first, like a process whose launcher was killed.
 */
export function outliveGroup(): void {
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
}

async function waitUntilServing(member: Worker, role: Role): Promise<void> {
  const exit = exitOf(member);
  const served = new Promise((resolve) => member.once('message', () => resolve(true)));
  if ((await Promise.race([served, exit])) === true) return;
  throw new Error(`the first ${role} process ended before it served`);
}

/** Replaces the process whenever it ends, until the group stops. */
async function keepRunning(options: {
  readonly role: Role;
  readonly first: Worker;
  readonly start: () => Worker;
  readonly log: Log;
  readonly stopping: AbortSignal;
}): Promise<void> {
  const { role, start, log, stopping } = options;
  for (let [member, ends] = [options.first, 0]; ; member = start()) {
    const startedMs = monotonicMs();
    const exit = await untilExit(member, stopping);
    if (stopping.aborted) return;
    ends = monotonicMs() - startedMs < stableMs ? ends + 1 : 1;
    const delayMs = Math.min(firstDelayMs * 2 ** (ends - 1), delayMsMax);
    const { pid } = member.process;
    log.error({ role, pid, ...exit, delayMs }, 'process ended, starting another');
    await sleep(delayMs, stopping);
    if (stopping.aborted) return;
  }
}

async function untilExit(member: Worker, stopping: AbortSignal): Promise<Exit> {
  let killTimer: { stop(): void } | undefined;
  const stop = () => {
    killTimer = startTimer(killMs, () => member.process.kill('SIGKILL'));
    // It may have ended already, for example by Ctrl-C, which every process receives.
    if (member.isConnected()) member.send('stop', undefined, () => {});
  };
  stopping.addEventListener('abort', stop, { once: true });
  const exit = await exitOf(member);
  stopping.removeEventListener('abort', stop);
  killTimer?.stop();
  return exit;
}

type Exit = { readonly code: number | null; readonly signal: string | null };

function exitOf(member: Worker): Promise<Exit> {
  return new Promise((resolve) => {
    member.once('exit', (code, signal) => resolve({ code, signal }));
    // A process that cannot be started may not emit `exit`.
    member.once('error', () => resolve({ code: null, signal: null }));
  });
}
