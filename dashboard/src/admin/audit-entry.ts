/** What an entry of the audit log says in words: its target where it has no page, and details. */
import type { AuditAction, AuditLogEntry } from '@vidgen/contract/admin-audit.ts';
import { fieldLabel } from '../components/value-labels.ts';

/** IDs are in the expanded row; people recognize names. */
const idValue = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]+_[0-9A-Za-z]{16,})$/;

/** Actions on people and invitations, which have no page. */
export const isAboutPeople = (action: string): boolean => /^(person|administrator)\./.test(action);

const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** The name of a person, an invite, a key or a provider; null: only its ID is known. */
export function targetName({ action, subject, detail, person }: AuditLogEntry): string | null {
  if (action.endsWith('.invite')) return textIn(detail.email) ?? 'Invite link';
  if (isAboutPeople(action)) return person?.name ?? null;
  if (action.startsWith('key.')) return textIn(detail.name);
  if (action.startsWith('code')) return textIn(detail.note) ?? 'Redemption code';
  return idValue.test(subject) ? null : subject;
}

/** `Dana Ng · Role: owner · Invited by: admin token`: the simple values, without IDs. */
export function summaryOf({ detail, action, person }: AuditLogEntry): string {
  const isTargetNamed = action.startsWith('key.') || (person && isAboutPeople(action));
  return [
    ...(!person || isAboutPeople(action) ? [] : [person.name]),
    ...Object.entries(detail)
      .filter(([name]) => !(name === 'name' && isTargetNamed))
      .flatMap(([name, value]) => {
        const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
        return text === '' || idValue.test(text)
          ? []
          : [`${fieldLabel(name)}: ${formatted(value)}`];
      }),
  ].join(' · ');
}

const formatted = (value: unknown): string =>
  typeof value === 'number' ? value.toLocaleString('en') : String(value);

const actions: Readonly<Record<AuditAction, string>> = {
  'account.create': 'Created account',
  'account.close': 'Closed account',
  'account.erase': 'Started erasing account',
  'account.erased': 'Erased account',
  'account.export': 'Exported account',
  'account.rename': 'Renamed account',
  'account.resume': 'Resumed account',
  'account.suspend': 'Suspended account',
  'administrator.invite': 'Invited administrator',
  'administrator.join': 'Became administrator',
  'balance_alert.set': 'Changed balance alert',
  'bill.apply': 'Applied vendor bill',
  'checkout.open': 'Started checkout',
  'code.revoke': 'Revoked code',
  'codes.create': 'Created codes',
  'credits.deduct': 'Deducted credits',
  'credits.grant': 'Granted credits',
  'credits.redeem': 'Redeemed code',
  'deliveries.replay': 'Replayed failed webhooks',
  'delivery.replay': 'Replayed webhook',
  'invitation.revoke': 'Revoked invite',
  'key.create': 'Created API key',
  'key.revoke': 'Revoked API key',
  'key.spending_cap': 'Changed spending cap',
  'limits.set': 'Changed limits',
  'login.confirm': 'Confirmed CLI sign-in',
  'mail.test': 'Sent test email',
  'member.change': 'Changed member role',
  'member.invite': 'Invited member',
  'member.join': 'Joined account',
  'member.remove': 'Removed member',
  'model.change': 'Changed model',
  'model.declare': 'Declared model',
  'model.remove': 'Removed model',
  'notice_webhook.set': 'Changed notice webhook',
  'payment.booked': 'Received payment',
  'payment.refused': 'Rejected mismatched payment',
  'payment.returned': 'Payment refunded or disputed',
  'payment.unbooked': 'Received payment without adding credits',
  'prices.set': 'Changed prices',
  'person.change_name': 'Changed name',
  'person.change_password': 'Changed password',
  'person.close': 'Deactivated person',
  'person.create': 'Joined',
  'person.disable_second_factor': 'Turned off two-factor authentication',
  'person.enable_second_factor': 'Turned on two-factor authentication',
  'person.forgot_password': 'Requested password link',
  'person.link_identity': 'Linked single sign-on',
  'person.password_link': 'Created password link',
  'person.replace_recovery_codes': 'Replaced recovery codes',
  'person.reset_password': 'Reset password',
  'person.reset_second_factor': 'Reset two-factor authentication',
  'person.unlink_identity': 'Unlinked single sign-on',
  'person.use_recovery_code': 'Used recovery code',
  'provider.change': 'Changed provider',
  'provider.connect': 'Connected provider',
  'provider.remove': 'Removed provider',
  'provider.replace_key': 'Replaced provider key',
  'provider.test': 'Made test video',
  'refund.settle': 'Resolved refund',
  'retention.set': 'Changed retention',
  'route.set': 'Changed model route',
  'signing_key.rotate': 'Rotated signing key',
  'task.cancel': 'Canceled task',
  'task.delete': 'Deleted task',
  'webhook_secret.rotate': 'Rotated signing secret',
  'webhook_url.set': 'Changed webhook URL',
  'worker.change': 'Changed GPU box',
  'worker.create': 'Created GPU box',
  'worker.revoke': 'Revoked GPU box',
};

/** The names of the audit log's actions. Those of other releases are shown as they are recorded. */
export const actionLabel = (action: string): string =>
  (actions as Readonly<Record<string, string>>)[action] ?? action;

/** An action that ends with a dot stands for all that begin alike. */
const actionGroups = [
  { value: 'account.', label: 'Accounts' },
  { value: 'credits.', label: 'Credits' },
  { value: 'key.', label: 'API keys' },
  { value: 'task.', label: 'Tasks' },
  { value: 'member.', label: 'Members' },
  { value: 'person.', label: 'People' },
  { value: 'administrator.', label: 'Administrators' },
  { value: 'payment.', label: 'Payments' },
  { value: 'provider.', label: 'Providers' },
  { value: 'worker.', label: 'GPU boxes' },
];

export const actionOptions = [
  { group: 'All about', items: actionGroups },
  {
    group: 'One action',
    items: Object.entries(actions).map(([value, label]) => ({ value, label })),
  },
];
