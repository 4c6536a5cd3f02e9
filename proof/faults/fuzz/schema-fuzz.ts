/**
 * Requests made from the document, one after the other, each answer judged. A failing one is made
 * as small as it gets and told as a line of curl.
 */
import fc from 'fast-check';
import { whoMayAsk } from './askers.ts';
import type { ApiDocument } from './document.ts';
import { faultOf } from './judge.ts';
import { anyRequest, type Request, rendered, twistsOf } from './requests.ts';
import { curlOf, type Sender } from './send.ts';
import type { World } from './world.ts';

export type Tally = {
  requests: number;
  /** By operation: how often it was answered with which status. */
  readonly answers: Map<string, Map<number, number>>;
  readonly violations: string[];
};

export const newTally = (): Tally => ({ requests: 0, answers: new Map(), violations: [] });

export type FuzzOrder = {
  readonly document: ApiDocument;
  readonly world: World;
  readonly sender: Sender;
  readonly tally: Tally;
  readonly runs: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
};

/** A failure ends its batch, not the run: what is wrong in one place hides nothing elsewhere. */
const batch = 500;
export const violationsMax = 20;

export async function fuzzByDocument(order: FuzzOrder): Promise<void> {
  const any = anyRequest(order.document);
  let isShrinking = false;
  const check = async (request: Request): Promise<void> => {
    const { operation, status, fault } = await ask(order, request);
    if (!isShrinking) count(order.tally, operation, status);
    if (fault === null) return;
    isShrinking = true;
    throw new Error(fault);
  };
  await inBatches(order, async ({ runs, seed }) => {
    isShrinking = false;
    return await fc.check(fc.asyncProperty(any, check), { seed, numRuns: runs });
  });
}

/**
 * Every operation with every odd header and every broken body, once by each who may ask. Drawn by
 * chance, some of these do not come up in a hundred thousand requests.
 */
export async function fuzzEveryTwist(
  order: FuzzOrder,
  isOwn: (operation: number) => boolean,
): Promise<void> {
  const { document, tally, seed, signal } = order;
  for (const operation of document.operations.filter((_, nth) => isOwn(nth))) {
    const any = anyRequest({ ...document, operations: [operation] });
    const pairs = twistsOf(operation).flatMap((twist) =>
      whoMayAsk(operation).map((asker) => ({ twist, asker })),
    );
    const requests = fc.sample(any, { seed, numRuns: pairs.length });
    for (const [nth, pair] of pairs.entries()) {
      if (signal?.aborted || tally.violations.length >= violationsMax) return;
      const { status, fault } = await ask(order, { ...requests[nth]!, ...pair });
      count(tally, operation.id, status);
      tally.requests += 1;
      if (fault !== null) tally.violations.push(fault);
    }
  }
}

/** What is wrong with the answer, and the line of curl that shows it; null when nothing is. */
async function ask(
  { document, sender, world }: FuzzOrder,
  request: Request,
): Promise<{ operation: string; status: number; fault: string | null }> {
  const { operation, wire, expectation } = rendered(request, { document, world });
  const answer = await sender.send(wire);
  world.learn(operation.id, request.asker, answer);
  await world.heal();
  const fault = faultOf(answer, { operation, wire, expectation, document });
  const told = fault === null ? null : `${fault}\n  ${curlOf(sender.url, wire)}`;
  return { operation: operation.id, status: answer.status, fault: told };
}

function count({ answers }: Tally, operationId: string, status: number): void {
  const statuses = answers.get(operationId) ?? new Map<number, number>();
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  answers.set(operationId, statuses);
}

export type Checked = Pick<
  fc.RunDetails<unknown>,
  'failed' | 'errorInstance' | 'numRuns' | 'counterexample'
>;

/** What failed is told once a batch, with the seed that repeats it. */
export async function inBatches(
  { tally, runs, seed, signal }: Pick<FuzzOrder, 'tally' | 'runs' | 'seed' | 'signal'>,
  check: (part: { runs: number; seed: number }) => Promise<Checked>,
): Promise<void> {
  for (let done = 0, nth = 0; done < runs && !signal?.aborted; nth++) {
    if (tally.violations.length >= violationsMax) return;
    const part = { runs: Math.min(batch, runs - done), seed: seed + nth };
    const { failed, errorInstance, numRuns, counterexample } = await check(part);
    done += Math.max(1, numRuns);
    tally.requests += numRuns;
    if (!failed) continue;
    const asked = JSON.stringify(counterexample).slice(0, 2000);
    tally.violations.push(`${(errorInstance as Error).message}\n  seed ${part.seed}: ${asked}`);
  }
}
