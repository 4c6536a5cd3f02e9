/**
 * Requests made from the document, one after the other, each answer judged. A failing one is made
 * as small as it gets and told as a line of curl.
 */
import fc from 'fast-check';
import { allowedCallers } from './callers.ts';
import type { ApiDocument } from './document.ts';
import type { FuzzEnvironment } from './environment.ts';
import { anyRequest, type FuzzRequest, mutationsOf, renderRequest } from './requests.ts';
import { responseFault } from './response-fault.ts';
import { curlOf, type Sender } from './send.ts';

export type FuzzTally = {
  requests: number;
  /** By operation: how often it was answered with which status. */
  readonly responses: Map<string, Map<number, number>>;
  readonly violations: string[];
};

export const newTally = (): FuzzTally => ({ requests: 0, responses: new Map(), violations: [] });

export type FuzzOptions = {
  readonly document: ApiDocument;
  readonly env: FuzzEnvironment;
  readonly sender: Sender;
  readonly tally: FuzzTally;
  readonly runs: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
};

/** A failure ends its batch, not the run: what is wrong in one place hides nothing elsewhere. */
const batch = 500;
export const violationsMax = 20;

export async function fuzzByDocument(options: FuzzOptions): Promise<void> {
  const any = anyRequest(options.document);
  let isShrinking = false;
  const check = async (request: FuzzRequest): Promise<void> => {
    const { operation, status, fault } = await sendAndCheck(options, request);
    if (!isShrinking) count(options.tally, operation, status);
    if (fault === null) return;
    isShrinking = true;
    throw new Error(fault);
  };
  await inBatches(options, async ({ runs, seed }) => {
    isShrinking = false;
    return await fc.check(fc.asyncProperty(any, check), { seed, numRuns: runs });
  });
}

/**
 * Every operation with every odd header and every broken body, once by each who may ask. Drawn by
 * chance, some of these do not come up in a hundred thousand requests.
 */
export async function fuzzEveryMutation(
  options: FuzzOptions,
  isOwn: (operation: number) => boolean,
): Promise<void> {
  const { document, tally, seed, signal } = options;
  for (const operation of document.operations.filter((_, nth) => isOwn(nth))) {
    const any = anyRequest({ ...document, operations: [operation] });
    const pairs = mutationsOf(operation).flatMap((mutation) =>
      allowedCallers(operation).map((caller) => ({ mutation, caller })),
    );
    const requests = fc.sample(any, { seed, numRuns: pairs.length });
    for (const [nth, pair] of pairs.entries()) {
      if (signal?.aborted || tally.violations.length >= violationsMax) return;
      const { status, fault } = await sendAndCheck(options, { ...requests[nth]!, ...pair });
      count(tally, operation.id, status);
      tally.requests += 1;
      if (fault !== null) tally.violations.push(fault);
    }
  }
}

/** What is wrong with the answer, and the line of curl that shows it; null when nothing is. */
async function sendAndCheck(
  { document, sender, env }: FuzzOptions,
  request: FuzzRequest,
): Promise<{ operation: string; status: number; fault: string | null }> {
  const { operation, wireRequest, expectation } = renderRequest(request, { document, env });
  const response = await sender.send(wireRequest);
  env.learn(operation.id, request.caller, response);
  await env.restoreSessions();
  const fault = responseFault(response, { operation, wireRequest, expectation, document });
  const report = fault === null ? null : `${fault}\n  ${curlOf(sender.url, wireRequest)}`;
  return { operation: operation.id, status: response.status, fault: report };
}

function count({ responses }: FuzzTally, operationId: string, status: number): void {
  const statuses = responses.get(operationId) ?? new Map<number, number>();
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  responses.set(operationId, statuses);
}

export type CheckResult = Pick<
  fc.RunDetails<unknown>,
  'failed' | 'errorInstance' | 'numRuns' | 'counterexample'
>;

/** What failed is told once a batch, with the seed that repeats it. */
export async function inBatches(
  { tally, runs, seed, signal }: Pick<FuzzOptions, 'tally' | 'runs' | 'seed' | 'signal'>,
  check: (part: { runs: number; seed: number }) => Promise<CheckResult>,
): Promise<void> {
  for (let done = 0, nth = 0; done < runs && !signal?.aborted; nth++) {
    if (tally.violations.length >= violationsMax) return;
    const part = { runs: Math.min(batch, runs - done), seed: seed + nth };
    const { failed, errorInstance, numRuns, counterexample } = await check(part);
    done += Math.max(1, numRuns);
    tally.requests += numRuns;
    if (!failed) continue;
    const counterexampleText = JSON.stringify(counterexample).slice(0, 2000);
    tally.violations.push(
      `${(errorInstance as Error).message}\n  seed ${part.seed}: ${counterexampleText}`,
    );
  }
}
