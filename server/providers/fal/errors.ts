/**
 * Maps fal's errors to start results and failures: those of a model (`detail` is a list with types)
 * and those of the platform (`detail` is a message, with an `error_type`).
 */
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { ProviderFailure, ReportedCost } from '../provider.ts';
import { createErrors } from '../toolkit/async-adapter.ts';
import { failureOf, rejectedInputIn, rejectedPartIn } from '../toolkit/rejected-part.ts';
import { asRecord, asText } from '../toolkit/response-values.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';

/** What is missing is empty. */
type FalError = {
  readonly type: string;
  /** The input that the error is about. */
  readonly field: string;
  readonly message: string;
};

/** Returns undefined for a response that fal did not write, such as a proxy's page. */
export function readError({
  json,
  headers,
}: Pick<UpstreamResponse, 'json' | 'headers'>): FalError | undefined {
  const body = asRecord(json);
  const errorType = asText(headers['x-fal-error-type']) ?? asText(body?.error_type) ?? '';
  const first = asRecord(Array.isArray(body?.detail) ? body.detail[0] : body?.detail);
  if (first) {
    const location = Array.isArray(first.loc) ? first.loc : [];
    return {
      type: asText(first.type) ?? errorType,
      field: location.filter((part) => part !== 'body').join('.'),
      message: asText(first.msg) ?? '',
    };
  }
  const message = asText(body?.detail) ?? asText(body?.message) ?? asText(body?.error);
  return message || errorType ? { type: errorType, field: '', message: message ?? '' } : undefined;
}

/** Without a field only the message says what was rejected; which files were sent is not known. */
const someFiles = { materials: true };

export const errors = createErrors<FalError>({
  read: readError,
  parts: ({ type, field, message }) => [type, field, message],
  throttledSeconds: () => 20,
  rejection: (error, { status }) => ({
    reason: [400, 422].includes(status) ? reasonFor(error) : 'failed',
    rejectedPart: partFromField(error) ?? rejectedInputIn(error?.message ?? '', someFiles),
  }),
});

/** Reads the error that a request ended with instead of a result. */
export function failureFor(response: UpstreamResponse): ProviderFailure {
  const error = readError(response);
  const reason = reasonFor(error);
  const detail = errors.detail(response);
  if (reason === 'failed' && response.status === 504) return { reason: 'timed_out', detail };
  return failureOf(
    reason,
    detail,
    partFromField(error) ?? rejectedPartIn(error?.message ?? '', someFiles),
  );
}

function partFromField(error: FalError | undefined): RejectedPart | undefined {
  if (!error?.field) return undefined;
  if (/^prompt\b/.test(error.field)) return 'prompt';
  return /(image|video|audio)_urls?\b/.test(error.field) ? 'material' : 'input';
}

/** fal recommends to "rely on the type field"; rejections without a type are read by message. */
const rejectedTypes = /^content_policy_violation$|nsfw|sensitive|moderation/i;
const rejectionMessage = /\b(content policy|sensitive content|flagged|nsfw|moderation)\b/i;
const materialTypes = new RegExp(
  [
    '^(file|image|video|audio)_(download|load|too|format|duration|dimension|size|parse)',
    '^(unsupported|invalid)_(file|image|video|audio)',
    '^file_',
    '_(too_large|too_small)$',
  ].join('|'),
  'i',
);
const timeoutTypes = /^(request|startup|generation|runner_connection)_timeout$/i;

function reasonFor(error: FalError | undefined): ProviderFailure['reason'] {
  if (!error) return 'failed';
  if (rejectedTypes.test(error.type) || rejectionMessage.test(error.message)) return 'rejected';
  if (materialTypes.test(error.type)) return 'material';
  return timeoutTypes.test(error.type) ? 'timed_out' : 'failed';
}

/**
 * Whether the request ended without being billed, because an input was invalid before the model
 * ran, so that another provider may try. fal queues every input and validates it in the runner.
 * "Client-side errors like invalid inputs (HTTP 422) may still be charged if a runner spent GPU
 * time processing the request before the error was detected" (fal.ai/docs/documentation/model-apis/
 * faq). Validation comes first and names the field (…/model-apis/errors); an error without a field,
 * or with billed units, may have cost something. Content and files are at fault everywhere.
 */
export function isInputRefusal(response: UpstreamResponse, { reason }: ProviderFailure): boolean {
  const isBilled = Number(response.headers[billedUnits] ?? 0) !== 0;
  const isValidation = [400, 422].includes(response.status) && !!readError(response)?.field;
  return isValidation && !isBilled && reason === 'failed';
}

const billedUnits = 'x-fal-billable-units';

/** Units have the price of the endpoint. */
export function costOf({ headers }: UpstreamResponse): ReportedCost | undefined {
  const units = headers[billedUnits] === undefined ? Number.NaN : Number(headers[billedUnits]);
  return Number.isFinite(units) && units >= 0 ? { units, unit: 'unit' } : undefined;
}

/** The result was requested too early; only the message distinguishes this from an error. */
export const isStillInProgress = (response: UpstreamResponse): boolean =>
  /still in progress/i.test(readError(response)?.message ?? '');

/** A server error without a type: the end of the request, or an error of a gateway. */
export function isPlainServerError(response: UpstreamResponse): boolean {
  const error = readError(response);
  return response.status >= 500 && error?.type === '' && !isStillInProgress(response);
}
