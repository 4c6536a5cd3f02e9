/**
 * Reads callbacks of a declared upstream. The unguessable reference in their URL authenticates
 * them; with a secret, their signature is verified too.
 */
import { signatureProblem } from '../../crypto/standard-webhooks.ts';
import { unixSeconds } from '../../process/clock.ts';
import type { CallbackRequest, CallbackResult } from '../provider.ts';
import { callbackHint, invalidSignature } from '../toolkit/callbacks.ts';
import { asJson, valueAt } from '../toolkit/response-values.ts';
import { asId } from './responses.ts';
import type { DeclaredSettings } from './settings.ts';

export function createReadCallback(options: {
  readonly callbacks: NonNullable<DeclaredSettings['callbacks']>;
  readonly secret: (() => string) | undefined;
}) {
  const { operation, signature = 'standard-webhooks' } = options.callbacks;
  return async (request: CallbackRequest): Promise<CallbackResult> => {
    const secret = options.secret?.();
    const problem =
      secret === undefined
        ? null
        : signature === 'standard-webhooks'
          ? signatureProblem(request, { secret, nowSeconds: unixSeconds() })
          : hexSignatureProblem(request, secret);
    if (problem !== null) return invalidSignature(problem);
    return callbackHint(
      operation === undefined ? undefined : asId(valueAt(asJson(request.body), operation)),
    );
  };
}

/**
 * WaveSpeed signs the same text, but writes `v3,` and hexadecimal digits, and its secret is text
 * after `whsec_`. Translated to the standard's form, so that one function compares signatures.
 */
function hexSignatureProblem({ headers, body }: CallbackRequest, secret: string): string | null {
  const [, hex] = /^v\d,([\da-f]{64})$/i.exec(headers['webhook-signature'] ?? '') ?? [];
  if (hex === undefined) return 'signature is not hexadecimal';
  const translated = `v1,${Buffer.from(hex, 'hex').toString('base64')}`;
  return signatureProblem(
    { headers: { ...headers, 'webhook-signature': translated }, body },
    { secret: secret.replace(/^whsec_/, ''), nowSeconds: unixSeconds() },
  );
}
