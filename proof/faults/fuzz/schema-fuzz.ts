/**
 * Sends requests made from the document and checks each response. A failing request is shrunk and
 * reported.
 */
import fc from 'fast-check';
import type { ApiDocument } from './document.ts';
import type { FuzzEnvironment } from './environment.ts';
import { anyRequest, type FuzzRequest, renderRequest } from './requests.ts';
import { responseFault } from './response-fault.ts';
import { describeRequest, type Sender } from './send.ts';

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

/** The fault of the response with the request, or null. */
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
  return fault === null ? null : `${fault}\n  ${describeRequest(wireRequest)}`;
}

function countResponse(tally: FuzzTally, operationId: string, status: number): void {
  const statuses = tally.responses.get(operationId) ?? new Map<number, number>();
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  tally.responses.set(operationId, statuses);
}

/** Checks the property in batches; a violation is reported once per batch, with its seed. */
export async function inBatches<Values>(
  { tally, runs, seed }: Pick<FuzzOptions, 'tally' | 'runs' | 'seed'>,
  property: fc.IAsyncProperty<Values>,
): Promise<void> {
  for (let done = 0, nth = 0; done < runs; nth++) {
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
