/** What an entry of the audit log says in words: its target where it has no page, and details. */
import type { AuditLogEntry } from '@vidgen/contract/admin-audit.ts';

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

/** `Dana Ng · Role owner · Invited by admin token`: the simple values, without IDs. */
export function summaryOf({ detail, action, person }: AuditLogEntry): string {
  const isTargetNamed = action.startsWith('key.') || (person && isAboutPeople(action));
  return [
    ...(!person || isAboutPeople(action) ? [] : [person.name]),
    ...Object.entries(detail)
      .filter(([name]) => !(name === 'name' && isTargetNamed))
      .flatMap(([name, value]) => {
        const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
        return text === '' || idValue.test(text) ? [] : [`${titleCase(name)} ${formatted(value)}`];
      }),
  ].join(' · ');
}

const titleCase = (name: string): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

const numberFormat = new Intl.NumberFormat('en');
const formatted = (value: unknown): string =>
  typeof value === 'number' ? numberFormat.format(value) : String(value);
