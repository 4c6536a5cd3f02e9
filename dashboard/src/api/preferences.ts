/** What this browser remembers between visits. It may refuse to: then nothing is remembered. */
import { type KeyMode, keyModes } from '@vidgen/contract/models.ts';

export type Preference<Value> = { get(): Value | null; set(value: Value): void };

export function storedPreference<Value>(
  name: string,
  read: (text: string) => Value | null,
  write: (value: Value) => string = String,
): Preference<Value> {
  return {
    get() {
      try {
        const text = localStorage.getItem(`vidgen.${name}`);
        return text === null ? null : read(text);
      } catch {
        return null;
      }
    },
    set(value) {
      try {
        localStorage.setItem(`vidgen.${name}`, write(value));
      } catch {
        // Full, or forbidden.
      }
    },
  };
}

export const preferences = {
  /** The account last looked at. */
  account: storedPreference<string>('account', String),
  mode: storedPreference<KeyMode>('mode', (text) => keyModes.find((mode) => mode === text) ?? null),
  /** The language of snippets. */
  language: storedPreference<string>('language', String),
};
