/**
 * Proofs that no request and no connection brings the service out of step: requests made from its
 * own document and from the rules of the contract, and bytes by hand, at a process of its own.
 */
import { readFileSync } from 'node:fs';
import { startPostgres } from '../../kit/postgres.ts';
import { type Engine, Installation } from '../installation.ts';
import { type Outcome, outcomeOf, type Proof, type ProofOrder } from '../proof.ts';
import type { ServiceProcess } from '../service-process.ts';
import { type BenchOrder, fuzzConnections, fuzzRequests, rawOrderOf } from './bench.ts';
import { holdConnections } from './raw-sockets.ts';
import { newTally, type Tally } from './schema-fuzz.ts';

const lanes = { requests: 4, connections: 8 };
/** At once, saying half of something: left alone, and dripped into until they are hung up on. */
const held = 200;

/** A short run keeps to what it was asked for. */
const everyTwistFrom = 10_000;

/** Without a provider: live tasks are the built-in one's, which takes whatever the rules allow. */
const environment = { VIDGEN_CONFIG: '' };

export const fuzzedRequests: Proof = {
  name: 'fuzzed-requests',
  title: 'requests made from the OpenAPI document and from the rules of the contract',
  failures: [32],
  unit: 'requests',
  runs: 100_000,
  needs: [],
  async run(order) {
    const server = await startPostgres();
    try {
      const engines: readonly Engine[] = ['postgres', 'embedded'];
      const parts: Part[] = [];
      for (const [at, engine] of engines.entries()) {
        if (order.signal.aborted) break;
        const runs = at === 0 ? Math.ceil(order.runs / 2) : Math.floor(order.runs / 2);
        const part = await onProcess(order, { engine, serverUrl: server.url, runs }, fuzzRequests);
        parts.push(part);
      }
      return outcomeOfParts(parts);
    } finally {
      await server.stop();
    }
  },
};

export const rawSockets: Proof = {
  name: 'raw-sockets',
  title: 'smuggling, overflow, slow and broken connections, by hand',
  failures: [],
  unit: 'connections',
  runs: 5000,
  needs: [],
  async run(order) {
    const part = await onProcess(order, { engine: 'embedded', runs: order.runs }, connections);
    return outcomeOfParts([part]);
  },
};

async function connections(order: BenchOrder): Promise<Tally> {
  const tally = newTally();
  const raw = await rawOrderOf(order, tally);
  try {
    await fuzzConnections(raw, order.lanes);
    for (const drips of [false, true]) {
      if (order.signal?.aborted) break;
      tally.violations.push(...(await holdConnections(raw, { count: held, drips })));
      tally.requests += held;
    }
  } finally {
    raw.victim.sender.close();
  }
  return tally;
}

type Part = { readonly tally: Tally; readonly notes: readonly string[] };

async function onProcess(
  { seed, say, signal }: ProofOrder,
  { engine, serverUrl, runs }: { engine: Engine; serverUrl?: string; runs: number },
  fuzz: (order: BenchOrder) => Promise<Tally>,
): Promise<Part> {
  const where = { engine, environment, ...(serverUrl === undefined ? {} : { serverUrl }) };
  const installation = await Installation.open(where);
  try {
    const service = installation.start({ role: 'api' });
    await service.serving();
    say(`${runs} on ${engine}, seed ${seed}`);
    const before = residentMebibytes(service);
    const many = fuzz === fuzzRequests ? lanes.requests : lanes.connections;
    const { url, admin } = installation;
    const withEveryTwist = runs >= everyTwistFrom;
    const tally = await fuzz({ url, admin, runs, seed, lanes: many, withEveryTwist, signal });
    for (const violation of tally.violations) say(`  ✖ ${violation}`);
    const after = residentMebibytes(service);
    tally.violations.push(...(await troublesAfter(installation, service)));
    const memory = `memory of the process ${before} MiB before, ${after} MiB after`;
    return { tally, notes: [`${engine}: ${tally.requests} with seed ${seed}; ${memory}`] };
  } finally {
    await installation.close();
  }
}

/** It lives, answers, and its books add up. */
async function troublesAfter(
  { admin }: Installation,
  service: ServiceProcess,
): Promise<readonly string[]> {
  if (service.isOver) return [`the process ended: ${service.said()}`];
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

function outcomeOfParts(parts: readonly Part[]): Outcome {
  const outcome = outcomeOf([], {
    runs: parts.reduce((sum, { tally }) => sum + tally.requests, 0),
    notes: parts.flatMap(({ notes }) => notes),
    violations: parts.flatMap(({ tally }) => tally.violations),
  });
  const accepted = parts.flatMap(({ tally }) =>
    createIds.map((id) => tally.answers.get(id)?.get(200) ?? 0),
  );
  return { ...outcome, acknowledged: accepted.reduce((sum, one) => sum + one, 0) };
}
