/**
 * Sends requests made from the document and checks each response. A failing request is shrunk and
 * reported as a curl command.
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
  /** By operation: how often it returned which status. */
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

/** A violation ends its batch, not the run, so that it hides nothing elsewhere. */
const batchRuns = 500;
const violationsMax = 20;

export async function fuzzByDocument(options: FuzzOptions): Promise<void> {
  const property = fc.asyncProperty(anyRequest(options.document), async (request) => {
    const fault = await sendAndCheck(options, request);
    if (fault !== null) throw new Error(fault);
  });
  await inBatches(options, property);
}

/**
 * Sends every header and body mutation to every operation, once by each allowed caller: at random,
 * some would not come up in a hundred thousand requests.
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
      const fault = await sendAndCheck(options, { ...requests[nth]!, ...pair });
      tally.requests += 1;
      if (fault !== null) tally.violations.push(fault);
    }
  }
}

/** The fault of the response with a curl command that repeats the request, or null. */
async function sendAndCheck(
  { document, sender, env, tally }: FuzzOptions,
  request: FuzzRequest,
): Promise<string | null> {
  const { operation, wireRequest, expectation } = renderRequest(request, { document, env });
  const response = await sender.send(wireRequest);
  countResponse(tally, operation.id, response.status);
  env.learn(operation.id, request.caller, response);
  await env.restoreSessions();
  const fault = responseFault(response, { operation, wireRequest, expectation, document });
  return fault === null ? null : `${fault}\n  ${curlOf(sender.url, wireRequest)}`;
}

export function countResponse(tally: FuzzTally, operationId: string, status: number): void {
  const statuses = tally.responses.get(operationId) ?? new Map<number, number>();
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  tally.responses.set(operationId, statuses);
}

/** Checks the property in batches; a violation is reported once per batch, with its seed. */
export async function inBatches<Values>(
  { tally, runs, seed, signal }: Pick<FuzzOptions, 'tally' | 'runs' | 'seed' | 'signal'>,
  property: fc.IAsyncProperty<Values>,
): Promise<void> {
  for (let done = 0, nth = 0; done < runs && !signal?.aborted; nth++) {
    if (tally.violations.length >= violationsMax) return;
    const part = { numRuns: Math.min(batchRuns, runs - done), seed: seed + nth };
    const details = await fc.check(property, part);
    done += Math.max(1, details.numRuns);
    tally.requests += details.numRuns;
    if (!details.failed) continue;
    const counterexample = JSON.stringify(details.counterexample).slice(0, 2000);
    const { message } = details.errorInstance as Error;
    tally.violations.push(`${message}\n  seed ${part.seed}: ${counterexample}`);
  }
}
