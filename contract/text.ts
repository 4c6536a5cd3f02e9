/**
 * Text that can be stored and shown: PostgreSQL stores no NUL, and lone surrogates are not
 * characters.
 */
import { z } from 'zod';

/** Returns the rule that a text breaks, or null. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the NUL character';
  if (!text.isWellFormed()) return 'must be valid Unicode (contains an unpaired surrogate)';
  return null;
}

/** Whether a text shows nothing: whitespace, control characters, zero-width and blank ones. */
export const isBlank = (text: string): boolean =>
  !/[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);

/** A name, note or reference: readable text of limited length. */
export const requiredText = ({ charactersMax }: { readonly charactersMax: number }) =>
  z
    .string()
    .min(1)
    .max(charactersMax)
    .refine((text) => textProblem(text) === null, 'must be valid Unicode without NUL')
    .regex(/\S/, 'must not be empty');
