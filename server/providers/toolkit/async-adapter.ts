/**
 * Makes a provider of an upstream's wire tables: how a start is sent, how an operation is read and
 * stopped, what errors mean. What decides about money is here, once: what proves that nothing was
 * created, that a failed read says nothing, and that a cancel counts only when it is confirmed.
 */
import type {
  CancelResult,
  Provider,
  ProviderFailure,
  ReportedCost,
  StartRequest,
  StartResult,
  StatusRequest,
  StatusResult,
} from '../provider.ts';
import type { ReadResult } from './client.ts';
import { hasMaterials } from './materials.ts';
import { failureOf, type RejectionContext } from './rejected-part.ts';
import { asOperation, asRecord, joinDetail } from './response-values.ts';
import {
  provesNothingCreated,
  rejectedStart,
  throttledStart,
  toStartResult,
} from './start-result.ts';
import {
  type ErrorReader,
  failed,
  pending,
  pendingWithAlert,
  toStatusResult,
  unknownStatus,
} from './status-result.ts';
import { isSuccess, type UpstreamOutcome, type UpstreamResponse } from './upstream.ts';

export type ErrorTable<UpstreamError> = {
  /** Returns undefined for a response that the upstream did not write, such as a proxy's page. */
  readonly read: (response: UpstreamResponse) => UpstreamError | undefined;
  /** Code, field and message, as far as the error has them. */
  readonly parts: (error: UpstreamError) => readonly (string | undefined)[];
  /** Whether a 404 with this error is about the operation; by default it is. */
  readonly isAboutOperation?: (error: UpstreamError) => boolean;
  /** Differs from `provesNothingCreated` where an error says more than its status. */
  readonly isProof?: (status: number, error: UpstreamError | undefined) => boolean;
  /** How long to wait after a 429 without `Retry-After`; undefined if waiting does not help. */
  readonly throttledSeconds: (error: UpstreamError | undefined) => number | undefined;
  readonly rejection: (
    error: UpstreamError | undefined,
    start: RejectionContext & { readonly status: number },
  ) => Pick<ProviderFailure, 'reason' | 'rejectedPart'>;
};

export type UpstreamErrors = ErrorReader & {
  readonly startResult: (response: UpstreamResponse, context: RejectionContext) => StartResult;
};

export function createErrors<UpstreamError>(table: ErrorTable<UpstreamError>): UpstreamErrors {
  const detailOf = (error: UpstreamError | undefined, { status }: UpstreamResponse): string =>
    joinDetail(error === undefined ? [] : table.parts(error), `HTTP ${status}`);
  return {
    detail: (response) => detailOf(table.read(response), response),
    isNotFound(response) {
      const error = response.status === 404 ? table.read(response) : undefined;
      return error !== undefined && (table.isAboutOperation?.(error) ?? true);
    },
    startResult(response, context) {
      const { status } = response;
      const error = table.read(response);
      const detail = detailOf(error, response);
      const isProof = table.isProof?.(status, error) ?? provesNothingCreated(status);
      if (!isProof) return { outcome: 'unknown', detail };
      const seconds = status === 429 ? table.throttledSeconds(error) : undefined;
      if (seconds !== undefined) return throttledStart(response, detail, seconds);
      const { reason, rejectedPart } = table.rejection(error, { ...context, status });
      return rejectedStart(failureOf(reason, detail, rejectedPart));
    },
  };
}

export type OperationReading = {
  /** Undefined for a status that the adapter does not know. */
  readonly state:
    | ('queued' | 'running' | 'completed' | 'failed' | 'expired' | 'cancelled')
    | undefined;
  /** In the words of the upstream. */
  readonly status: string;
  readonly progress?: number | undefined;
  /** Of a completed operation; without it, the operation has no video. */
  readonly result?: StatusResult | undefined;
  readonly failure?: ProviderFailure | undefined;
  readonly cost?: ReportedCost | undefined;
};

type ReadOperation = (
  response: UpstreamResponse,
  /** Absent for a cancel, which needs the state alone. */
  request?: StatusRequest,
) => OperationReading | undefined;

export type AsyncAdapter = Omit<Provider, 'start' | 'status' | 'cancel'> & {
  readonly errors: UpstreamErrors;
  /** Sends a start, or returns its result without one. */
  readonly start: (request: StartRequest) => Promise<UpstreamOutcome | StartResult>;
  /** Returns the operation in a 2xx response to a start; `id` by default. */
  readonly startedOperation?: (json: unknown, request: StartRequest) => string | undefined;
  readonly status:
    | Provider['status']
    | {
        readonly read: (request: StatusRequest) => Promise<ReadResult>;
        readonly operation: ReadOperation;
      };
  readonly cancel: Provider['cancel'] | Stop;
};

type Stop = {
  readonly read: (operation: string) => Promise<ReadResult>;
  readonly operation: ReadOperation;
  /**
   * Stops a queued operation. Returns what the response proves, a response that shows the
   * operation, or undefined when only another read can tell.
   */
  readonly stop: (operation: string) => Promise<CancelResult | ReadResult | undefined>;
};

export function createAsyncAdapter(adapter: AsyncAdapter): Provider {
  const { errors, start, startedOperation, status, cancel, ...provider } = adapter;
  const idIn = (json: unknown) => asOperation(asRecord(json)?.id);
  return {
    ...provider,
    async start(request) {
      const outcome = await start(request);
      if ('outcome' in outcome) return outcome;
      const context = { materials: hasMaterials(request.generation) };
      return toStartResult(outcome, {
        operation: (json) => (startedOperation ? startedOperation(json, request) : idIn(json)),
        error: (response) => errors.startResult(response, context),
      });
    },
    status:
      typeof status === 'function'
        ? status
        : async (request) =>
            toStatusResult(await status.read(request), {
              ...errors,
              signal: request.signal,
              success: (response) => statusResultOf(status.operation(response, request)),
            }),
    cancel:
      typeof cancel === 'function'
        ? cancel
        : (operation) => stopQueued(operation, { ...cancel, errors }),
  };
}

export function statusResultOf(reading: OperationReading | undefined): StatusResult {
  return withCost(resultOf(reading), reading?.cost);
}

/** Adds what an ended operation costs, if the upstream says it. */
export const withCost = (result: StatusResult, cost: ReportedCost | undefined): StatusResult =>
  cost && (result.outcome === 'completed' || result.outcome === 'failed')
    ? { ...result, cost }
    : result;

function resultOf(reading: OperationReading | undefined): StatusResult {
  if (!reading) return pendingWithAlert('the response is not an operation');
  const { state, failure } = reading;
  switch (state) {
    case undefined:
      return unknownStatus(reading.status);
    case 'queued':
    case 'running':
      return pending({ progress: reading.progress });
    case 'completed':
      return reading.result ?? failed('failed', 'completed without a video');
    case 'expired':
      return failed('timed_out', 'expired at the upstream');
    case 'failed':
    case 'cancelled':
      return failure
        ? { outcome: 'failed', ...failure }
        : failed('failed', `${state} at the upstream`);
  }
}

/**
 * Stops an operation that has not begun: a finished one would be erased or billed, so it is read
 * first. Only what is confirmed counts as stopped.
 */
export async function stopQueued(
  operation: string,
  { read, stop, ...adapter }: Stop & { readonly errors: ErrorReader },
): Promise<CancelResult> {
  const before = cancelState(await read(operation), adapter);
  if (before !== 'queued') return before;
  const response = await stop(operation);
  if (typeof response === 'string') return response;
  const shown = response ? cancelState(response, adapter) : 'unknown';
  const isShown = shown !== 'queued' && shown !== 'unknown';
  const after = isShown ? shown : cancelState(await read(operation), adapter);
  return after === 'queued' ? 'unknown' : after;
}

/** `ended` also when the upstream does not know the operation. */
function cancelState(
  result: ReadResult,
  { errors, operation }: Pick<Stop, 'operation'> & { readonly errors: ErrorReader },
): CancelResult | 'queued' {
  if (result.kind !== 'response') return 'unknown';
  if (errors.isNotFound(result)) return 'ended';
  return cancelStateOf(isSuccess(result) ? operation(result)?.state : undefined);
}

/** What a state means for a cancel: every other state is an end. */
export function cancelStateOf(state: string | undefined): CancelResult | 'queued' {
  switch (state) {
    case undefined:
      return 'unknown';
    case 'queued':
    case 'running':
      return state;
    case 'cancelled':
      return 'stopped';
    default:
      return 'ended';
  }
}
