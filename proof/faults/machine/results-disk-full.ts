/**
 * The disk of the results is full, or takes nothing any more. No half file is ever served, a task
 * waits for space or ends refunded, and when space is back everything goes on.
 */
import { startPostgres } from '../../kit/postgres.ts';
import { makeAccount } from '../../kit/service.ts';
import { combineFindings, type FaultTest, findingViolations } from '../fault-test.ts';
import type { Findings } from '../findings.ts';
import { shouldFail } from '../upstream.ts';
import { ResultsDisk } from './results-disk.ts';

const diskFaults = ['results', 'downloads', 'EIO', 'ENOSPC'] as const;
/** A folder that is full, or what every `fsync` answers. */
type DiskFault = (typeof diskFaults)[number];
const tasksAtOnce = 6;

export const resultsDiskFull: FaultTest = {
  name: 'results-disk-full',
  title: 'the disk of the results is full, or fails when it is to keep what was written',
  failures: [24],
  unit: 'troubles',
  runs: 8,
  requirements: ['namespaces', 'strace'],
  async run(options) {
    const server = await startPostgres();
    const found: Findings[] = [];
    let runs = 0;
    try {
      await using disk = await ResultsDisk.open(server.url);
      for (; runs < options.runs && !options.signal.aborted; runs++) {
        const fault = diskFaults[runs % diskFaults.length]!;
        const findings = await runWithFault(disk, { fault, tasks: tasksAtOnce });
        found.push(findings);
        options.log(`${runs + 1}/${options.runs} ${fault}: ${findings.acknowledged} acknowledged`);
        for (const violation of findingViolations(findings)) options.log(`  ✖ ${violation}`);
      }
      const late = options.signal.aborted ? [] : await expireTask(disk);
      const result = combineFindings(found, { runs });
      return { ...result, violations: [...result.violations, ...late] };
    } finally {
      await server.stop();
    }
  },
};

/** One trouble: creates are accepted all through it, and wait. */
export async function runWithFault(
  disk: ResultsDisk,
  { fault, tasks }: { readonly fault: DiskFault; readonly tasks: number },
): Promise<Findings> {
  const { clients } = disk.installation;
  const before = await Promise.all(Array.from({ length: tasks }, () => clients.create()));
  if (fault === 'EIO' || fault === 'ENOSPC') await disk.breakSync(fault);
  else await disk.fill(fault);
  const during = await Promise.all(Array.from({ length: tasks }, () => clients.create()));
  const stored = during.filter((one) => !shouldFail(one));
  await disk.tried(stored.map((one) => clients.acknowledged.get(one)!));
  const half = await disk.halfFiles();
  const early = stored.filter((one) => clients.hasWebhook(one));
  await disk.free();
  await disk.restoreSync();
  const findings = await disk.recovered([...before, ...during]);
  const broken = [
    ...findings.broken,
    ...half.map((what) => `during the trouble, ${what}`),
    ...early.map((one) => `task ${one} ended while nothing could be stored`),
  ];
  return { ...findings, broken };
}

/** Space does not come back in time: the task fails at its deadline, and is refunded. */
async function expireTask(disk: ResultsDisk): Promise<string[]> {
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
  const arkTask = upstream.fake.tasks().find(({ body }) => body.content[0]?.text?.includes(prompt));
  upstream.fake.advance(arkTask!.id, 'succeeded');
  await disk.tried([taskId]);
  await disk.reachDeadline(taskId);
  const { status, billing_status: billing, failed_reason: reason } = await client.final(taskId);
  await disk.free();
  const { body: account } = await admin.get(`/admin/accounts/${id}`);
  const { live } = account.balance as { live: { available: number; reserved: number } };
  const end = `${status} ${billing} ${reason}, ${live.available} available`;
  const expected = 'failed refunded timed_out, 5 available';
  return end === expected ? [] : [`without space the task ended as ${end}`];
}
