/** Sign-in by OpenID Connect, and the second factor of passwords. */
import { z } from 'zod';
import { unixSeconds } from './list.ts';
import { secretFormat } from './schema-paths.ts';

const Code = z
  .string()
  .min(6)
  .max(20)
  .describe('Six digits of the authenticator app, or a recovery code. Each works once.')
  .meta({ format: secretFormat });

export const CodeRequest = z.strictObject({ code: Code }).meta({ id: 'CodeRequest' });

/** Replaces the session when the password was right but a code is missing. */
export const SecondStepResponse = z
  .object({ second_step: z.literal('code').describe('Send a code to `POST /session/code`.') })
  .meta({ id: 'SecondStep' });
export type SecondStepResponse = z.infer<typeof SecondStepResponse>;

export const EnrollmentResponse = z
  .object({
    secret: z.string().describe('In base32, for an app that cannot scan the QR code.'),
    url: z.string().describe('The content of the QR code.'),
  })
  .meta({ id: 'SecondFactorEnrollment' });
export type EnrollmentResponse = z.infer<typeof EnrollmentResponse>;

export const RecoveryCodesResponse = z
  .object({ codes: z.array(z.string()).describe('Shown this once; each works once.') })
  .meta({ id: 'RecoveryCodes' });
export type RecoveryCodesResponse = z.infer<typeof RecoveryCodesResponse>;

const OpenIdProvider = z.object({
  name: z.string().describe('As people know it, for “Continue with …”.'),
});

export const SignInMethodsResponse = z
  .object({
    openid: OpenIdProvider.nullable().describe('Null if the installation has none.'),
    sends_mail: z.boolean().describe('Whether a password can be reset by email.'),
    awaits_administrator: z
      .boolean()
      .describe('Nobody has opened the link for the first administrator yet.'),
  })
  .meta({ id: 'SignInMethods' });
export type SignInMethodsResponse = z.infer<typeof SignInMethodsResponse>;

export const SecurityResponse = z
  .object({
    has_password: z.boolean(),
    openid: OpenIdProvider.extend({
      identity: z
        .object({
          email: z.string().nullable().describe('As the provider named the person.'),
          linked_at: unixSeconds('When it was linked.'),
        })
        .nullable()
        .describe('Null if the person has not linked it.'),
    })
      .nullable()
      .describe('Null if the installation has no such sign-in.'),
    second_factor: z
      .object({
        enabled_at: unixSeconds('Since when a code is asked for.'),
        recovery_codes_left: z.int().min(0),
      })
      .nullable(),
  })
  .meta({ id: 'Security' });
export type SecurityResponse = z.infer<typeof SecurityResponse>;

/** A page of the dashboard, by its path below `/dashboard`. */
const DashboardPath = z
  .string()
  .max(1000)
  .regex(/^\/([\x21-\x2e\x30-\x5b\x5d-\x7e][\x21-\x7e]*)?$/, 'must be a path of the dashboard');

export const StartOpenIdRequest = z
  .strictObject({
    to: DashboardPath.optional().describe('Where the dashboard opens after the sign-in.'),
    link: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The token of an invitation, which is accepted by the sign-in.')
      .meta({ format: secretFormat }),
  })
  .meta({ id: 'StartOpenIdRequest' });

export const LinkIdentityRequest = z
  .strictObject({ code: Code.optional() })
  .meta({ id: 'LinkIdentityRequest' });

export const StartedOpenIdResponse = z
  .object({ url: z.string().describe('Of the provider; the browser goes there.') })
  .meta({ id: 'StartedOpenId' });
export type StartedOpenIdResponse = z.infer<typeof StartedOpenIdResponse>;

/** Why a sign-in by OpenID Connect failed: `?problem=…` of the page that it returns to. */
export type OpenIdProblem =
  | 'expired'
  | 'cancelled'
  | 'failed'
  | 'unavailable'
  | 'unverified'
  | 'uninvited'
  | 'email_taken'
  | 'deactivated'
  | 'linked_elsewhere'
  | 'not_linked'
  | 'not_repeated';
