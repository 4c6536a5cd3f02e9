/** Maps errors of `/v1/videos` servers to start results and failures. */
import type { ProviderFailure } from '../provider.ts';
import { createErrors } from '../toolkit/async-adapter.ts';
import {
  failureOf,
  isRejection,
  type RejectionContext,
  rejectedInputIn,
  rejectedPartIn,
} from '../toolkit/rejected-part.ts';
import { asRecord, asText, joinDetail } from '../toolkit/response-values.ts';
import { provesNothingCreated } from '../toolkit/start-result.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import { vidgenFailure } from '../toolkit/vidgen-failure.ts';

export type OpenAiVideosError = {
  /** The code or, without one, the type; empty without either. */
  readonly code: string;
  readonly message: string;
  /** The field that the error is about; empty when it has none. */
  readonly field: string;
};

/** Reads OpenAI's shape, FastAPI's `detail`, a gateway's flat one, and a bare message. */
function readError({ json }: UpstreamResponse): OpenAiVideosError | undefined {
  const body = asRecord(json);
  if (!body) return undefined;
  if ('detail' in body) return detailError(body.detail);
  const nested = videoError(body.error);
  if (nested) return nested;
  const code = codeOf(body.code);
  return code === '' ? undefined : { code, message: asText(body.message) ?? '', field: '' };
}

/** Reads the `error` of a failed video or of a response. vLLM-Omni's code is a number. */
export function videoError(error: unknown): OpenAiVideosError | undefined {
  const text = asText(error);
  if (text) return { code: '', message: text, field: '' };
  const record = asRecord(error);
  if (!record) return undefined;
  const code = codeOf(record.code) || codeOf(record.type);
  return { code, message: asText(record.message) ?? '', field: asText(record.param) ?? '' };
}

/** A message, or a list with one error per field. */
function detailError(detail: unknown): OpenAiVideosError | undefined {
  const text = asText(detail);
  if (text) return { code: '', message: text, field: '' };
  const first = asRecord(Array.isArray(detail) ? detail[0] : detail);
  if (!first) return undefined;
  const location = Array.isArray(first.loc) ? first.loc : [];
  return {
    code: codeOf(first.type) || codeOf(first.code),
    message: asText(first.msg) ?? asText(first.message) ?? '',
    field: location.filter((part) => part !== 'body').join('.'),
  };
}

const codeOf = (value: unknown): string =>
  typeof value === 'number' ? String(value) : (asText(value) ?? '');

/** A 429 with one of these codes ends only when the account is topped up. */
const accountCodes = /^(insufficient_quota|billing_\w+|quota_exceeded)$/;

/** vLLM-Omni without a video model, or with a request that it cannot read. */
const isBeforeCreation = (status: number, error: OpenAiVideosError | undefined): boolean =>
  status >= 500 &&
  /\bnot initialized\b|^Video generation setup failed\b/i.test(error?.message ?? '');

/** Reads the error of a video that was created and failed. */
export function failureFor(
  error: OpenAiVideosError | undefined,
  context: RejectionContext,
): ProviderFailure {
  const parts = error && [error.code, error.field, error.message];
  const detail = joinDetail(parts ?? [], 'failed without an error');
  const own = error && vidgenFailure(error);
  if (own) return failureOf(own.reason, detail, own.rejectedPart);
  if (['408', '504'].includes(error?.code ?? '')) return { reason: 'timed_out', detail };
  const part = rejectedPartIn(fieldAndMessage(error), context);
  return failureOf(reasonFor(error, context), detail, part);
}

const fieldAndMessage = (error: OpenAiVideosError | undefined): string =>
  `${error?.field ?? ''} ${error?.message ?? ''}`;

const rejectedCodes = /moderation|content_?(policy|filter)|safety|nsfw|sensitive|guardrail/i;
const rejectionVerb = /\b(block|reject|refus|flag|violat|unsafe)/i;
const materialErrorMessage =
  /(input|video|audio)_reference|(reference|uploaded|input) image|image (reference|source)/i;

function reasonFor(
  error: OpenAiVideosError | undefined,
  { materials }: RejectionContext,
): 'rejected' | 'material' | 'failed' {
  if (!error) return 'failed';
  if (rejectedCodes.test(error.code) || isRejection(error.message, rejectionVerb))
    return 'rejected';
  return materials && materialErrorMessage.test(fieldAndMessage(error)) ? 'material' : 'failed';
}

/** FastAPI says "Not Found" for an unknown path, OpenAI "Invalid URL", others name a route. */
const unknownPathMessage = /^not found$|invalid url|\b(route|path|page|endpoint)\b/i;

export const errors = createErrors<OpenAiVideosError>({
  read: readError,
  parts: ({ code, field, message }) => [code, field, message],
  // A wrong base URL also yields a 404, but not one about a video.
  isAboutOperation: ({ message }) => !unknownPathMessage.test(message.trim()),
  isProof: (status, error) => provesNothingCreated(status) || isBeforeCreation(status, error),
  throttledSeconds: (error) => (accountCodes.test(error?.code ?? '') ? undefined : 20),
  rejection(error, { status, ...context }) {
    const reason = reasonFor(error, context);
    // These are about the account, but OpenRouter also responds 403 to an input that was flagged.
    const isAboutAccount = [401, 403, 429].includes(status);
    const isFlagged = status === 403 && reason === 'rejected';
    return {
      reason: isAboutAccount && !isFlagged ? 'failed' : reason,
      rejectedPart: rejectedInputIn(fieldAndMessage(error), context),
    };
  },
});
