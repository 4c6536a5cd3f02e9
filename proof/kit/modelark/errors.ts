/** Every error that ModelArk documents or was observed to return, with its own messages. */
import type { FakeResponse } from '../fake-upstream.ts';

type DocumentedError = { readonly status: number; readonly message: string };

const invalid = (what: string) =>
  `The parameter \`${what}\` specified in the request is not valid.`;
const sensitive = (what: string) =>
  `The request failed because the ${what} may contain sensitive information.`;
const limited = (what: string) => `The request has exceeded the ${what} limit. Please try later.`;

export const documentedErrors = {
  MissingParameter: { status: 400, message: 'The request is missing the parameter `content`.' },
  'MissingParameter.model': { status: 400, message: 'The request is missing `model`.' },
  InvalidParameter: { status: 400, message: invalid('duration') },
  'InvalidParameter.ratio': { status: 400, message: invalid('ratio') },
  'InvalidParameter.TaskTypeConstraint': {
    status: 400,
    message: 'The task is determined as video editing. ratio must be adaptive.',
  },
  'InvalidParameter.TaskTypeMismatch': {
    status: 400,
    message: 'The task is determined as video extension, which is not the given task type.',
  },
  'InvalidParameter.UnsupportedParameter': {
    status: 400,
    message: 'service_tier flex is not supported by the model.',
  },
  InputTextSensitiveContentDetected: { status: 400, message: sensitive('input text') },
  InputImageSensitiveContentDetected: { status: 400, message: sensitive('input image') },
  'InputImageSensitiveContentDetected.PrivacyInformation': {
    status: 400,
    message: "The request failed because the input image 'content[1]' may contain real person.",
  },
  InputVideoSensitiveContentDetected: { status: 400, message: sensitive('input video') },
  'InputVideoSensitiveContentDetected.PolicyViolation': {
    status: 400,
    message: sensitive('input video'),
  },
  InputAudioSensitiveContentDetected: { status: 400, message: sensitive('input audio') },
  SensitiveContentDetected: { status: 400, message: sensitive('input') },
  OutputVideoSensitiveContentDetected: { status: 400, message: sensitive('output video') },
  'OutputVideoSensitiveContentDetected.PolicyViolation': {
    status: 400,
    message: sensitive('output video'),
  },
  OutputAudioSensitiveContentDetected: { status: 400, message: sensitive('output audio') },
  'InvalidImageURL.EmptyURL': { status: 400, message: 'The image URL is empty.' },
  'InvalidImageURL.InvalidFormat': { status: 400, message: 'The image cannot be parsed.' },
  'InvalidEndpoint.ClosedEndpoint': { status: 400, message: 'The endpoint is closed.' },
  AuthenticationError: {
    status: 401,
    message: 'the API key or AK/SK in the request is missing or invalid.',
  },
  InvalidAccountStatus: { status: 401, message: 'The account status is abnormal.' },
  AccessDenied: { status: 403, message: 'No permission to access the resource.' },
  AccountOverdueError: { status: 403, message: 'The account has an overdue balance.' },
  'OperationDenied.ServiceNotOpen': { status: 403, message: 'The service is not activated.' },
  'OperationDenied.ServiceOverdue': { status: 403, message: 'The bill is overdue.' },
  ModelNotOpen: { status: 404, message: 'Your account has not activated the model.' },
  'InvalidEndpointOrModel.NotFound': {
    status: 404,
    message: 'The model or endpoint does not exist or you do not have access to it.',
  },
  'NotFound.id': { status: 404, message: 'The specified task does not exist.' },
  'InvalidAction.RunningTaskDeletion': {
    status: 409,
    message: 'Cannot delete task because it is currently running',
  },
  'RateLimitExceeded.EndpointRPMExceeded': { status: 429, message: limited('endpoint RPM') },
  'RateLimitExceeded.EndpointTPMExceeded': { status: 429, message: limited('endpoint TPM') },
  ModelAccountRpmRateLimitExceeded: { status: 429, message: limited('model RPM') },
  ModelAccountTpmRateLimitExceeded: { status: 429, message: limited('model TPM') },
  ModelAccountIpmRateLimitExceeded: { status: 429, message: limited('model IPM') },
  APIAccountRpmRateLimitExceeded: { status: 429, message: limited('API RPM') },
  AccountRateLimitExceeded: { status: 429, message: limited('account rate') },
  RequestBurstTooFast: { status: 429, message: 'Requests rise too fast.' },
  ServerOverloaded: { status: 429, message: 'The service is overloaded.' },
  InflightBatchsizeExceeded: { status: 429, message: limited('in-flight batch size') },
  QuotaExceeded: {
    status: 429,
    message: 'The number of queued tasks exceeds the limit of your account.',
  },
  SetLimitExceeded: {
    status: 429,
    message: 'The spending limit you set was reached, the service is paused.',
  },
  InternalServiceError: { status: 500, message: 'The service encountered an internal error.' },
} as const satisfies Record<string, DocumentedError>;

export type DocumentedCode = keyof typeof documentedErrors;

/** ModelArk's own shape, a gateway's flat one, and that of the platform's control plane. */
export type ErrorShape = 'own' | 'flat' | 'control-plane';

export type ModelArkResponse = FakeResponse & { readonly body: string };

export function documentedError(
  code: DocumentedCode,
  options: {
    readonly message?: string;
    readonly shape?: ErrorShape;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): ModelArkResponse {
  const { status } = documentedErrors[code];
  const message = `${options.message ?? documentedErrors[code].message} Request id: 0217abc`;
  const shapes: Record<ErrorShape, unknown> = {
    own: { error: { code, message, param: '', type: status === 401 ? 'Unauthorized' : '' } },
    flat: { code, message },
    'control-plane': { ResponseMetadata: { RequestId: '0217', Error: { Code: code } } },
  };
  return {
    status,
    body: JSON.stringify(shapes[options.shape ?? 'own']),
    ...(options.headers ? { headers: options.headers } : {}),
  };
}
