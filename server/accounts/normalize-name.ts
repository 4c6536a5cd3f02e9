/** The name a person gives to an account or a key: free text, never empty, long or unprintable. */
import { ApiError } from '../api-error.ts';

export const nameCharactersMax = 200;

/** The name as it is stored: trimmed. */
export function normalizeName(name: string): string {
  const trimmed = name.trim();
  // Control characters and half surrogates cannot be stored or shown.
  if (
    trimmed.length === 0 ||
    trimmed.length > nameCharactersMax ||
    /[\p{Cc}\p{Cs}]/u.test(trimmed)
  ) {
    throw new ApiError(
      'invalid_request',
      `name must be 1 to ${nameCharactersMax} printable characters`,
    );
  }
  return trimmed;
}
