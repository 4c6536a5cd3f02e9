/**
 * Fills the disk of the results, or makes its writes fail. No incomplete file is ever served, a
 * task waits for space or ends refunded, and everything continues when space is back.
 * Thorough: a sample of a long fault test.
 */
import { makeAccount } from '../../kit/service.ts';
import { type Findings, faultTest, isMissing, runRepeatedly } from '../fault-test.ts';
import { liveBalance } from '../findings.ts';
import { shouldFail, textOf } from '../upstream.ts';
import { ResultsDisk } from './results-disk.ts';

/** A folder that is full, or the error of every `fsync`. */
const diskFaults = ['results', 'downloads', 'EIO', 'ENOSPC'] as const;
type DiskFault = (typeof diskFaults)[number];
const tasksAtOnce = 6;

faultTest('the disk of the results is full, or fails to sync what was written', {
  sample: 1,
  requirements: ['namespaces'],
  async run(options) {
    // Failing to sync needs strace.
    const faults = isMissing('strace') ? diskFaults.slice(0, 2) : diskFaults;
    await using disk = await ResultsDisk.open();
    const result = await runRepeatedly(options, async (nth) => {
      const fault = faults[nth % faults.length]!;
      return { ...(await runWithFault(disk, { fault, tasks: tasksAtOnce })), label: fault };
    });
    const late = options.signal.aborted ? [] : await deadlineViolations(disk);
    return { ...result, violations: [...result.violations, ...late] };
  },
});

/** Creates tasks before and during one fault; all are accepted and wait. */
async function runWithFault(
  disk: ResultsDisk,
  { fault, tasks }: { readonly fault: DiskFault; readonly tasks: number },
): Promise<Findings> {
  const { clients } = disk.installation;
  const before = await Promise.all(Array.from({ length: tasks }, () => clients.create()));
  if (fault === 'EIO' || fault === 'ENOSPC') await disk.breakSync(fault);
  else await disk.fill(fault);
  const during = await Promise.all(Array.from({ length: tasks }, () => clients.create()));
  const stored = during.filter((one) => !shouldFail(one));
  await disk.waitUntilRejected(stored.map((one) => clients.acknowledged.get(one)!));
  const incomplete = await disk.incompleteFiles();
  const early = stored.filter((one) => clients.hasWebhook(one));
  await disk.free();
  await disk.restoreSync();
  const findings = await disk.inspectRecovered([...before, ...during]);
  const broken = [
    ...findings.broken,
    ...incomplete.map((what) => `during the fault, ${what}`),
    ...early.map((one) => `task ${one} ended while nothing could be stored`),
  ];
  return { ...findings, broken };
}

/** Space does not come back in time: the task fails at its deadline and is refunded. */
async function deadlineViolations(disk: ResultsDisk): Promise<string[]> {
  const { url, admin, upstream } = disk.installation;
  const { id, client } = await makeAccount(url, admin, { live: 5 });
  await disk.fill('results');
  const prompt = 'A kite for which there is no room';
  const { body } = await client.create({
    model: 'vidgen-2-0-mini',
    input: { prompt, resolution: '480p', duration: 5 },
  });
  const taskId = body.taskId as string;
  await client.get(`/v1/tasks/${taskId}?wait=20`);
  const arkTask = upstream.fake.tasks().find((task) => textOf(task).includes(prompt));
  upstream.fake.advance(arkTask!.id, 'succeeded');
  await disk.waitUntilRejected([taskId]);
  await disk.reachDeadline(taskId);
  const { status, billing_status: billing, failed_reason: reason } = await client.final(taskId);
  await disk.free();
  const { available } = await liveBalance(admin, id);
  const end = `${status} ${billing} ${reason}, ${available} available`;
  const expected = 'failed refunded timed_out, 5 available';
  return end === expected ? [] : [`without space the task ended as ${end}`];
}
