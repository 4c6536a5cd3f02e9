/**
 * Proofs that no request and no connection brings the service out of step: requests made from its
 * own document and from the rules of the contract, and bytes by hand, at a process of its own.
 */
import { readFileSync } from 'node:fs';
import { startPostgres } from '../../kit/postgres.ts';
import {
  combineFindings,
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
} from '../fault-test.ts';
import { type Engine, Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';
import { type FuzzRunOptions, fuzzConnections, fuzzRequests, rawFuzzOptions } from './fuzz-run.ts';
import { holdConnections } from './raw-sockets.ts';
import { type FuzzTally, newTally } from './schema-fuzz.ts';

const workers = { requests: 4, connections: 8 };
/** At once, saying half of something: left alone, and dripped into until they are hung up on. */
const held = 200;

/** A short run keeps to what it was asked for. */
const everyMutationFrom = 10_000;

/** Without a provider: live tasks are the built-in one's, which takes whatever the rules allow. */
const environment = { VIDGEN_CONFIG: '' };

export const fuzzedRequests: FaultTest = {
  name: 'fuzzed-requests',
  title: 'requests made from the OpenAPI document and from the rules of the contract',
  failures: [32],
  unit: 'requests',
  runs: 100_000,
  requirements: [],
  async run(options) {
    const server = await startPostgres();
    try {
      const engines: readonly Engine[] = ['postgres', 'embedded'];
      const parts: Part[] = [];
      for (const [at, engine] of engines.entries()) {
        if (options.signal.aborted) break;
        const runs = at === 0 ? Math.ceil(options.runs / 2) : Math.floor(options.runs / 2);
        const part = await onProcess(
          options,
          { engine, serverUrl: server.url, runs },
          fuzzRequests,
        );
        parts.push(part);
      }
      return partsResult(parts);
    } finally {
      await server.stop();
    }
  },
};

export const rawSockets: FaultTest = {
  name: 'raw-sockets',
  title: 'smuggling, overflow, slow and broken connections, by hand',
  failures: [],
  unit: 'connections',
  runs: 5000,
  requirements: [],
  async run(options) {
    const part = await onProcess(options, { engine: 'embedded', runs: options.runs }, connections);
    return partsResult([part]);
  },
};

async function connections(options: FuzzRunOptions): Promise<FuzzTally> {
  const tally = newTally();
  const raw = await rawFuzzOptions(options, tally);
  try {
    await fuzzConnections(raw, options.workers);
    for (const drips of [false, true]) {
      if (options.signal?.aborted) break;
      tally.violations.push(...(await holdConnections(raw, { count: held, drips })));
      tally.requests += held;
    }
  } finally {
    raw.bystander.sender.close();
  }
  return tally;
}

type Part = { readonly tally: FuzzTally; readonly notes: readonly string[] };

async function onProcess(
  { seed, log, signal }: FaultTestOptions,
  { engine, serverUrl, runs }: { engine: Engine; serverUrl?: string; runs: number },
  fuzz: (options: FuzzRunOptions) => Promise<FuzzTally>,
): Promise<Part> {
  const where = { engine, environment, ...(serverUrl === undefined ? {} : { serverUrl }) };
  const installation = await Installation.open(where);
  try {
    const service = installation.start({ role: 'api' });
    await service.waitUntilServing();
    log(`${runs} on ${engine}, seed ${seed}`);
    const before = residentMebibytes(service);
    const many = fuzz === fuzzRequests ? workers.requests : workers.connections;
    const { url, admin } = installation;
    const withEveryMutation = runs >= everyMutationFrom;
    const tally = await fuzz({ url, admin, runs, seed, workers: many, withEveryMutation, signal });
    for (const violation of tally.violations) log(`  ✖ ${violation}`);
    const after = residentMebibytes(service);
    tally.violations.push(...(await violationsAfter(installation, service)));
    const memory = `memory of the process ${before} MiB before, ${after} MiB after`;
    return { tally, notes: [`${engine}: ${tally.requests} with seed ${seed}; ${memory}`] };
  } finally {
    await installation.close();
  }
}

/** It lives, answers, and its books add up. */
async function violationsAfter(
  { admin }: Installation,
  service: ServiceProcess,
): Promise<readonly string[]> {
  if (service.hasExited) return [`the process ended: ${service.output()}`];
  const { status, body } = await admin.get('/admin/audit');
  const checks = (body.checks ?? []) as { name: string; ok: boolean; offenders: string[] }[];
  return [
    ...(status === 200 ? [] : [`the audit was answered ${status}`]),
    ...checks
      .filter(({ ok }) => !ok)
      .map(({ name, offenders }) => `${name}: ${offenders.join(', ')}`),
  ];
}

/** Told by Linux; elsewhere nobody tells. */
function residentMebibytes({ pid }: ServiceProcess): number | string {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
    return Math.round(Number(kibibytes) / 1024);
  } catch {
    return 'unknown';
  }
}

const createIds = ['create', 'playground', 'createGeneration', 'createInPlayground'];

function partsResult(parts: readonly Part[]): FaultTestResult {
  const result = combineFindings([], {
    runs: parts.reduce((sum, { tally }) => sum + tally.requests, 0),
    notes: parts.flatMap(({ notes }) => notes),
    violations: parts.flatMap(({ tally }) => tally.violations),
  });
  const accepted = parts.flatMap(({ tally }) =>
    createIds.map((id) => tally.responses.get(id)?.get(200) ?? 0),
  );
  return { ...result, acknowledged: accepted.reduce((sum, one) => sum + one, 0) };
}
