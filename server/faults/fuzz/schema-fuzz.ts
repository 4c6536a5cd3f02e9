/**
 * Requests made from the document, one after the other, each answer judged. A failing one is made
 * as small as it gets and told as a line of curl.
 */
import fc from 'fast-check';
import type { ApiDocument } from './document.ts';
import { faultOf } from './judge.ts';
import { anyRequest, type Request, rendered } from './requests.ts';
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
  const { document, sender, world, tally } = order;
  const any = anyRequest(document);
  let isShrinking = false;
  const ask = async (request: Request): Promise<void> => {
    const { operation, wire, expectation } = rendered(request, { document, world });
    const answer = await sender.send(wire);
    if (!isShrinking) count(tally, operation.id, answer.status);
    world.learn(operation.id, request.asker, answer);
    await world.heal();
    const fault = faultOf(answer, { operation, wire, expectation, document });
    if (fault === null) return;
    isShrinking = true;
    throw new Error(`${fault}\n  ${curlOf(sender.url, wire)}`);
  };
  await inBatches(order, async ({ runs, seed }) => {
    isShrinking = false;
    return await fc.check(fc.asyncProperty(any, ask), { seed, numRuns: runs });
  });
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
