/**
 * The disk of the results is full, or takes nothing any more. No half file is ever served, a task
 * waits for space or ends refunded, and when space is back everything goes on.
 */
import { startPostgres } from '../../kit/postgres.ts';
import { makeAccount } from '../../kit/service.ts';
import type { Findings } from '../findings.ts';
import { breachesOf, outcomeOf, type Proof } from '../proof.ts';
import { isMeantToFail } from '../upstream.ts';
import { ResultsDisk } from './results-disk.ts';

const troubles = ['results', 'downloads', 'EIO', 'ENOSPC'] as const;
/** A folder that is full, or what every `fsync` answers. */
type Trouble = (typeof troubles)[number];
const tasksAtOnce = 6;

export const resultsDiskFull: Proof = {
  name: 'results-disk-full',
  title: 'the disk of the results is full, or fails when it is to keep what was written',
  failures: [24],
  unit: 'troubles',
  runs: 8,
  needs: ['namespaces', 'strace'],
  async run(order) {
    const server = await startPostgres();
    const found: Findings[] = [];
    let runs = 0;
    try {
      await using disk = await ResultsDisk.open(server.url);
      for (; runs < order.runs && !order.signal.aborted; runs++) {
        const trouble = troubles[runs % troubles.length]!;
        const findings = await meet(disk, { trouble, tasks: tasksAtOnce });
        found.push(findings);
        order.say(`${runs + 1}/${order.runs} ${trouble}: ${findings.acknowledged} acknowledged`);
        for (const sentence of breachesOf(findings)) order.say(`  ✖ ${sentence}`);
      }
      const sentences = order.signal.aborted ? [] : await giveUp(disk);
      const outcome = outcomeOf(found, { runs });
      return { ...outcome, violations: [...outcome.violations, ...sentences] };
    } finally {
      await server.stop();
    }
  },
};

/** One trouble: creates are accepted all through it, and wait. */
export async function meet(
  disk: ResultsDisk,
  { trouble, tasks }: { readonly trouble: Trouble; readonly tasks: number },
): Promise<Findings> {
  const { clients } = disk.installation;
  const before = await Promise.all(Array.from({ length: tasks }, () => clients.create()));
  if (trouble === 'EIO' || trouble === 'ENOSPC') await disk.breakSync(trouble);
  else await disk.fill(trouble);
  const during = await Promise.all(Array.from({ length: tasks }, () => clients.create()));
  const stored = during.filter((one) => !isMeantToFail(one));
  await disk.tried(stored.map((one) => clients.acknowledged.get(one)!));
  const half = await disk.halfFiles();
  const early = stored.filter((one) => clients.isCalledAbout(one));
  await disk.free();
  await disk.mendSync();
  const findings = await disk.recovered([...before, ...during]);
  const broken = [
    ...findings.broken,
    ...half.map((what) => `during the trouble, ${what}`),
    ...early.map((one) => `task ${one} ended while nothing could be stored`),
  ];
  return { ...findings, broken };
}

/** Space does not come back in time: the task fails at its deadline, and is refunded. */
async function giveUp(disk: ResultsDisk): Promise<string[]> {
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
  const made = upstream.double.tasks().find(({ body }) => body.content[0]?.text?.includes(prompt));
  upstream.double.advance(made!.id, 'succeeded');
  await disk.tried([taskId]);
  await disk.reachDeadline(taskId);
  const { status, billing_status: billing, failed_reason: reason } = await client.final(taskId);
  await disk.free();
  const { body: account } = await admin.get(`/admin/accounts/${id}`);
  const { live } = account.balance as { live: { available: number; reserved: number } };
  const end = `${status} ${billing} ${reason}, ${live.available} available`;
  const wanted = 'failed refunded timed_out, 5 available';
  return end === wanted ? [] : [`without space the task ended as ${end}`];
}
