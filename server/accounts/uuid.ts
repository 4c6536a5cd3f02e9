/** Form of account, person, session and link IDs; the database rejects any other text as a uuid. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => uuidPattern.test(text);

/** The first and the last ID that begin with at least eight characters of one; null otherwise. */
export function uuidRange(text: string): readonly [string, string] | null {
  const start = text.trim().toLowerCase();
  if (start.length < 8 || !isUuid(start + zeros.slice(start.length))) return null;
  return [
    start + zeros.slice(start.length),
    start + zeros.replaceAll('0', 'f').slice(start.length),
  ];
}

const zeros = '00000000-0000-0000-0000-000000000000';
