/**
 * The mails that tell a person how their login was changed, so that a change by someone else does
 * not stay unnoticed. They carry no one-time link: one of those may have made the change.
 */
import type { Sealer } from '../crypto/seal.ts';
import type { Transaction } from '../database/database.ts';
import { compose, plainName } from './mail-text.ts';
import { insertMessage } from './outbox.ts';
import type { Mail, Mailer } from './smtp.ts';
import { isMailAddress } from './smtp-settings.ts';

/** `provider` is the name of the OpenID provider, `email` the address that it knows. */
type IdentityLinked = {
  readonly kind: 'identity_linked';
  readonly provider: string;
  readonly email: string | null;
};
type SecurityChange = { readonly kind: keyof typeof words } | IdentityLinked;

type Words = { readonly subject: string; readonly paragraph: string };

/**
 * Tells the person with the address `recipient`, in the transaction of the change: both happen, or
 * neither. Without SMTP, only the audit log has it.
 */
export async function queueSecurityMail(
  tx: Transaction,
  deps: {
    readonly mailer: Mailer | null;
    readonly sealer: Sealer;
    readonly publicUrl: () => string;
  },
  recipient: string,
  change: SecurityChange,
): Promise<void> {
  if (deps.mailer === null || !isMailAddress(recipient)) return;
  const content = JSON.stringify(securityMail(change, deps.publicUrl()));
  const { kind } = change;
  await insertMessage(tx, deps.sealer, { channel: 'mail', kind, recipient, content });
}

/** The password no longer counts, and only an administrator can unlink the provider. */
const askAdministrator = 'If this wasn’t you, tell an administrator.';
const setPassword =
  'If this wasn’t you, choose “Forgot password?” on the sign-in page to set a new password, and ' +
  'tell an administrator.';

export function securityMail(change: SecurityChange, publicUrl: string): Mail {
  const isLinked = change.kind === 'identity_linked';
  const { subject, paragraph } = isLinked ? linkedWords(change) : words[change.kind];
  return compose({
    subject,
    paragraphs: [paragraph],
    action: { label: 'Open your profile', url: `${publicUrl}/dashboard/profile` },
    notes: [isLinked ? askAdministrator : setPassword],
    publicUrl,
  });
}

function linkedWords({ provider, email }: IdentityLinked): Words {
  const plain = plainName(provider);
  const name = plain.charAt(0).toUpperCase() + plain.slice(1);
  const as = email === null ? '' : `, as ${plainName(email)},`;
  return {
    subject: `${name} was linked to your login`,
    paragraph: `${name}${as} now signs you in to vidgen. Your password no longer does.`,
  };
}

const words = {
  password_changed: {
    subject: 'Your password was changed',
    paragraph: 'The password of your vidgen login was changed. Other devices were signed out.',
  },
  password_reset: {
    subject: 'Your password was changed',
    paragraph:
      'The password of your vidgen login was changed with a reset link. All devices that were ' +
      'signed in before were signed out.',
  },
  identity_unlinked: {
    subject: 'Single sign-on was unlinked from your login',
    paragraph:
      'An administrator has unlinked single sign-on from your vidgen login. You sign in with ' +
      'your password, or ask for a link to set one.',
  },
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
