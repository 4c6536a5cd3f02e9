/**
 * The mails that tell a person how their login was changed, so that a change by someone else does
 * not stay unnoticed. They carry no one-time link: one of those may have made the change.
 */
import { compose } from './mail-text.ts';
import { plainName } from './plain-name.ts';
import type { Mail } from './smtp.ts';

/** `provider` is the name of the OpenID provider, `email` the address that it knows. */
export type SecurityChange =
  | { readonly kind: 'password_changed' | 'password_reset' }
  | { readonly kind: 'second_factor_enabled' | 'second_factor_disabled' | 'second_factor_reset' }
  | { readonly kind: 'recovery_codes_replaced' }
  | {
      readonly kind: 'identity_linked';
      readonly provider: string;
      readonly email: string | null;
    }
  | { readonly kind: 'identity_unlinked' };

/** The password no longer counts, and only an administrator can unlink the provider. */
const askAdministrator = 'If this wasn’t you, tell an administrator.';
const setPassword =
  'If this wasn’t you, choose “Forgot password?” on the sign-in page to set a new password, and ' +
  'tell an administrator.';

type Words = { readonly subject: string; readonly paragraph: string };

export function securityMail(change: SecurityChange, publicUrl: string): Mail {
  const { subject, paragraph } = wordsOf(change);
  return compose({
    subject,
    paragraphs: [paragraph],
    action: { label: 'Open your profile', url: `${publicUrl}/dashboard/profile` },
    notes: [change.kind === 'identity_linked' ? askAdministrator : setPassword],
    publicUrl,
  });
}

function wordsOf(change: SecurityChange): Words {
  switch (change.kind) {
    case 'password_changed':
      return {
        subject: 'Your password was changed',
        paragraph: 'The password of your vidgen login was changed. Other devices were signed out.',
      };
    case 'password_reset':
      return {
        subject: 'Your password was changed',
        paragraph:
          'The password of your vidgen login was changed with a reset link. All devices that ' +
          'were signed in before were signed out.',
      };
    case 'identity_linked':
      return linkedWords(change);
    case 'identity_unlinked':
      return {
        subject: 'Single sign-on was unlinked from your login',
        paragraph:
          'An administrator has unlinked single sign-on from your vidgen login. You sign in with ' +
          'your password, or ask for a link to set one.',
      };
    default:
      return secondFactorWords[change.kind];
  }
}

function linkedWords(change: SecurityChange & { kind: 'identity_linked' }): Words {
  const as = change.email === null ? '' : `, as ${plainName(change.email)},`;
  return {
    subject: `${nameOf(change)} was linked to your login`,
    paragraph: `${nameOf(change)}${as} now signs you in to vidgen. Your password no longer does.`,
  };
}

/** At the beginning of a sentence. */
function nameOf({ provider }: { readonly provider: string }): string {
  const name = plainName(provider);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const secondFactorWords = {
  second_factor_enabled: {
    subject: 'Two-factor authentication was turned on',
    paragraph:
      'Two-factor authentication was turned on for your vidgen login. A sign-in with your ' +
      'password now asks for a code.',
  },
  second_factor_disabled: {
    subject: 'Two-factor authentication was turned off',
    paragraph:
      'Two-factor authentication was turned off for your vidgen login. Your password alone now ' +
      'signs you in.',
  },
  second_factor_reset: {
    subject: 'Two-factor authentication was turned off',
    paragraph:
      'An administrator turned off two-factor authentication for your vidgen login. Your ' +
      'password alone now signs you in; you can set it up again on your profile page.',
  },
  recovery_codes_replaced: {
    subject: 'Your recovery codes were replaced',
    paragraph:
      'New recovery codes were created for your vidgen login. The earlier ones no longer work.',
  },
} as const satisfies Record<string, Words>;
