/**
 * Text that can be stored and shown: PostgreSQL holds no NUL, and half a character is no
 * character.
 */
import { z } from 'zod';

/** The rule a text breaks, as the end of a sentence, or null. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the NUL character';
  if (!text.isWellFormed()) return 'must be whole characters (it holds half of a surrogate pair)';
  return null;
}

/** A name, note or reference: something to read, of a bounded length. */
export const requiredText = ({ charactersMax }: { readonly charactersMax: number }) =>
  z
    .string()
    .min(1)
    .max(charactersMax)
    .refine((text) => textProblem(text) === null, 'must be whole characters without NUL')
    .regex(/\S/, 'must not be empty');
