/** What an entry of the audit log says in words: its target where it has no page, and details. */
import type { AuditLogEntry } from '@vidgen/contract/admin-audit.ts';

/** IDs are in the expanded row; people recognize names. */
const idValue = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]+_[0-9A-Za-z]{16,})$/;

/** What people do to themselves; an administrator deactivates others. */
const byThemselves =
  /^(administrator\.join|person\.(create|(change|forgot|reset)_(name|password)))$/;

const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** The name of a person, an invite, a key or a provider; null: only its ID is known. */
export function targetName({ action, actor, subject, detail }: AuditLogEntry): string | null {
  if (action.endsWith('.invite')) return textIn(detail.email) ?? 'Invite link';
  if (byThemselves.test(action)) return actor;
  if (action.startsWith('key.')) return textIn(detail.name);
  if (action.startsWith('code')) return textIn(detail.note) ?? 'Redemption code';
  return idValue.test(subject) ? null : subject;
}

/** `Role owner · Invited by admin token`: the simple values, without IDs. */
export const summaryOf = ({ detail, action }: AuditLogEntry): string =>
  Object.entries(detail)
    .filter(([name]) => !(name === 'name' && action.startsWith('key.')))
    .flatMap(([name, value]) => {
      const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
      return text === '' || idValue.test(text) ? [] : [`${titleCase(name)} ${formatted(value)}`];
    })
    .join(' · ');

const titleCase = (name: string): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

const numberFormat = new Intl.NumberFormat('en');
const formatted = (value: unknown): string =>
  typeof value === 'number' ? numberFormat.format(value) : String(value);
