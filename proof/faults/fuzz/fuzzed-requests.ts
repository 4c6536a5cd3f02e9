/**
 * Fuzzes a process of the service: requests from its own OpenAPI document and from the rules of the
 * contract, and raw bytes on connections. Every response must be right, and the process must
 * survive.
 */
import { readFileSync } from 'node:fs';
import {
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
  noFindings,
  resultOf,
} from '../fault-test.ts';
import { auditViolations } from '../findings.ts';
import { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';
import { type FuzzRunOptions, fuzzConnections, fuzzRequests } from './fuzz-run.ts';
import type { FuzzTally } from './schema-fuzz.ts';

const workers = { requests: 4, connections: 8 };
/** A short run does not add the requests of `withEveryMutation`. */
const everyMutationFrom = 10_000;

/**
 * Without a provider: live tasks go to the built-in one, which accepts all that the rules allow.
 */
const environment = { VIDGEN_CONFIG: '' };

export const fuzzedRequests: FaultTest = {
  name: 'fuzzed-requests',
  title: 'requests made from the OpenAPI document and from the rules of the contract',
  failures: [32],
  unit: 'requests',
  runs: 100_000,
  run: (options) =>
    fuzzProcess(options, (one) => fuzzRequests({ ...one, workers: workers.requests })),
};

export const rawSockets: FaultTest = {
  name: 'raw-sockets',
  title: 'smuggling, overflow, slow and broken connections, by hand',
  failures: [],
  unit: 'connections',
  runs: 5000,
  run: (options) =>
    fuzzProcess(options, (one) =>
      fuzzConnections({ ...one, workers: workers.connections, held: 200 }),
    ),
};

type WithoutWorkers = Omit<FuzzRunOptions, 'workers'>;

async function fuzzProcess(
  { runs, seed, log, signal }: FaultTestOptions,
  fuzz: (options: WithoutWorkers) => Promise<FuzzTally>,
): Promise<FaultTestResult> {
  await using installation = await Installation.open({ environment });
  const service = installation.start({ role: 'api' });
  await service.waitUntilServing();
  const before = residentMebibytes(service);
  const { url, admin } = installation;
  const withEveryMutation = runs >= everyMutationFrom;
  const tally = await fuzz({ url, admin, runs, seed, withEveryMutation, signal });
  for (const violation of tally.violations) log(`  ✖ ${violation}`);
  const memory = `resident memory ${before} MiB before, ${residentMebibytes(service)} MiB after`;
  const after = service.hasExited
    ? [`the process exited: ${service.output()}`]
    : await auditViolations(admin);
  const accepted = createIds.map((id) => tally.responses.get(id)?.get(200) ?? 0);
  const acknowledged = accepted.reduce((sum, one) => sum + one, 0);
  return resultOf([{ ...noFindings, acknowledged }], {
    runs: tally.requests,
    violations: [...tally.violations, ...after],
    notes: [memory],
  });
}

/** Linux only. */
function residentMebibytes({ pid }: ServiceProcess): number | string {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
    return Math.round(Number(kibibytes) / 1024);
  } catch {
    return 'unknown';
  }
}

const createIds = ['create', 'playground', 'createGeneration', 'createInPlayground'];
