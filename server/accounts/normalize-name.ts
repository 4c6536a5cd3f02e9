/** Names of accounts, keys and people: free text, trimmed, printable, never empty or too long. */
import { invalidRequest } from '@vidgen/contract/api-error.ts';

const nameCharactersMax = 200;

/** Returns the trimmed name. Throws `invalid_request` if it breaks a rule. */
export function normalizeName(name: string): string {
  const trimmed = name.trim();
  // Control characters and lone surrogates cannot be stored or shown. Other characters can be
  // invisible, but not all of them.
  if (
    trimmed.length > nameCharactersMax ||
    !/[\p{L}\p{N}\p{P}\p{S}]/u.test(trimmed) ||
    /[\p{Cc}\p{Cs}]/u.test(trimmed)
  ) {
    throw invalidRequest(`name must be 1 to ${nameCharactersMax} printable characters`);
  }
  return trimmed;
}
