/**
 * Pauses a process past its leases (SIGSTOP), as on a machine that hangs, and resumes it when other
 * processes have finished its jobs. Everything it still tries to write or to submit must fail.
 * Thorough: a sample of a long fault test.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import type { CrashPoint } from '../../../server/process/crash-point.ts';
import { type Findings, faultTest, runRepeatedly } from '../fault-test.ts';
import { inspectEnd, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { waitUntilFreed } from './trial.ts';

/** The points at which a resumed process would do damage without a check. */
const pausePoints = [
  'accept.before-commit',
  'submit.claimed',
  'submit.intent-written',
  'submit.response',
  'poll.response',
  'collect.stored',
  'settle.before-commit',
  'notify.claimed',
  'notify.response',
] as const satisfies readonly CrashPoint[];
type PausePoint = (typeof pausePoints)[number];

const pollMs = 50;
const reachedMsMax = 90_000;
const loadMs = 500;
/** A worker pauses at the third pass: by then its connections are open. */
const workerPasses = 3;

faultTest('a process is paused past its lease (SIGSTOP), and resumes when another has its jobs', {
  sample: 1,
  async run(options) {
    await using installation = await Installation.open({ settleSeconds: 5 });
    const staying = await installation.startPair('worker');
    return await runRepeatedly(options, async (nth) => {
      const point = pausePoints[nth % pausePoints.length]!;
      return { ...(await pauseOnce(installation, point, staying)), label: `paused: ${point}` };
    });
  },
});

async function pauseOnce(
  installation: Installation,
  point: PausePoint,
  staying: readonly ServiceProcess[],
): Promise<Findings> {
  const { clients } = installation;
  const before = clients.acknowledged.size;
  const { victim, stray } = await pauseAt(installation, point);
  clients.start();
  // All other requests are answered, also those of the account whose request is paused.
  await sleep(loadMs);
  await clients.stop();
  await waitUntilFreed(installation, victim.pid);
  await waitForEnd(installation, { taskNumbers: clients.taskNumbers(before) });

  // Only now, when other processes have finished its jobs.
  victim.signal('SIGCONT');
  await stray;
  const stopViolations = await victim.stopViolations();
  const taskNumbers = clients.taskNumbers(before);
  const findings = await inspectEnd(installation, { taskNumbers, staying });
  return { ...findings, broken: [...findings.broken, ...stopViolations] };
}

/** Creates one task after the other until the point is reached, so that only one job pauses. */
async function pauseAt(installation: Installation, point: PausePoint) {
  const { clients } = installation;
  const role = point.startsWith('accept.') ? 'api' : 'worker';
  const nth = role === 'api' ? 1 : workerPasses;
  const environment = { VIDGEN_PAUSE_AT: `${point}:${nth}` };
  const victim = installation.start({ role, port: await reservePort(), environment });
  if (role === 'api') await victim.waitUntilServing();
  // An API process pauses in a create, which is answered only after the pause.
  const stray = role === 'api' ? clients.create({ firstUrl: victim.url }) : null;
  const fromMs = monotonicMs();
  let waitingFor = 0;
  while (!(await isPaused(victim.pid))) {
    if (victim.hasExited || monotonicMs() - fromMs > reachedMsMax) {
      throw new Error(`${point} was not reached: ${victim.output()}`);
    }
    if (role === 'worker' && (waitingFor === 0 || clients.hasWebhook(waitingFor))) {
      waitingFor = await clients.create();
    }
    await sleep(pollMs);
  }
  return { victim, stray };
}

async function isPaused(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]);
  return stdout.trim().startsWith('T');
}
