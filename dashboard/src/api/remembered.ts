/** What this browser remembers between visits. It may refuse to: then nothing is remembered. */
import { type KeyMode, keyModes } from '@vidgen/contract/models.ts';

export type Remembered<Value> = { get(): Value | null; set(value: Value): void };

export function rememberedValue<Value>(
  name: string,
  read: (text: string) => Value | null,
  write: (value: Value) => string = String,
): Remembered<Value> {
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

export const remembered = {
  /** The account last looked at. */
  account: rememberedValue<string>('account', String),
  mode: rememberedValue<KeyMode>('mode', (text) => keyModes.find((mode) => mode === text) ?? null),
  /** The language of snippets. */
  language: rememberedValue<string>('language', String),
};
