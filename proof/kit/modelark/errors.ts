/** Every error that ModelArk documents or was observed to return. */
import type { FakeResponse } from '../fake-upstream.ts';

export const documentedErrors = {
  MissingParameter: 400,
  'MissingParameter.model': 400,
  InvalidParameter: 400,
  'InvalidParameter.ratio': 400,
  'InvalidParameter.TaskTypeConstraint': 400,
  'InvalidParameter.TaskTypeMismatch': 400,
  'InvalidParameter.UnsupportedParameter': 400,
  InputTextSensitiveContentDetected: 400,
  InputImageSensitiveContentDetected: 400,
  'InputImageSensitiveContentDetected.PrivacyInformation': 400,
  InputVideoSensitiveContentDetected: 400,
  'InputVideoSensitiveContentDetected.PolicyViolation': 400,
  InputAudioSensitiveContentDetected: 400,
  SensitiveContentDetected: 400,
  OutputVideoSensitiveContentDetected: 400,
  'OutputVideoSensitiveContentDetected.PolicyViolation': 400,
  OutputAudioSensitiveContentDetected: 400,
  'InvalidImageURL.EmptyURL': 400,
  'InvalidImageURL.InvalidFormat': 400,
  'InvalidEndpoint.ClosedEndpoint': 400,
  AuthenticationError: 401,
  InvalidAccountStatus: 401,
  AccessDenied: 403,
  AccountOverdueError: 403,
  'OperationDenied.ServiceNotOpen': 403,
  'OperationDenied.ServiceOverdue': 403,
  ModelNotOpen: 404,
  'InvalidEndpointOrModel.NotFound': 404,
  'NotFound.id': 404,
  'InvalidAction.RunningTaskDeletion': 409,
  'RateLimitExceeded.EndpointRPMExceeded': 429,
  'RateLimitExceeded.EndpointTPMExceeded': 429,
  ModelAccountRpmRateLimitExceeded: 429,
  ModelAccountTpmRateLimitExceeded: 429,
  ModelAccountIpmRateLimitExceeded: 429,
  APIAccountRpmRateLimitExceeded: 429,
  AccountRateLimitExceeded: 429,
  RequestBurstTooFast: 429,
  ServerOverloaded: 429,
  InflightBatchsizeExceeded: 429,
  QuotaExceeded: 429,
  SetLimitExceeded: 429,
  InternalServiceError: 500,
} as const;

export type DocumentedCode = keyof typeof documentedErrors;

/** The messages that decide how an error is read, or that a client shows. */
const messages: Partial<Record<DocumentedCode, string>> = {
  InvalidParameter: 'The parameter `duration` specified in the request is not valid.',
  AuthenticationError: 'the API key or AK/SK in the request is missing or invalid.',
  QuotaExceeded: 'The number of queued tasks exceeds the limit of your account.',
};

/** ModelArk's own shape, a gateway's flat one, and that of the platform's control plane. */
type ErrorShape = 'own' | 'flat' | 'control-plane';

export function documentedError(
  code: DocumentedCode,
  options: { readonly message?: string; readonly shape?: ErrorShape } = {},
): FakeResponse & { readonly body: string } {
  const status = documentedErrors[code];
  const text = options.message ?? messages[code] ?? 'The request failed.';
  const message = `${text} Request id: 0217abc`;
  const shapes: Record<ErrorShape, unknown> = {
    own: { error: { code, message, param: '', type: status === 401 ? 'Unauthorized' : '' } },
    flat: { code, message },
    'control-plane': { ResponseMetadata: { RequestId: '0217', Error: { Code: code } } },
  };
  return { status, body: JSON.stringify(shapes[options.shape ?? 'own']) };
}
