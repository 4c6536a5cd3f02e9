/** Values that this browser remembers between visits, unless its storage is full or blocked. */
import { type KeyMode, keyModes } from '@vidgen/contract/models.ts';

function storedPreference<Value extends string>(
  name: string,
  read: (text: string) => Value | null,
): { get(): Value | null; set(value: Value): void } {
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
        localStorage.setItem(`vidgen.${name}`, value);
      } catch {
        // The storage is full or blocked.
      }
    },
  };
}

export const preferences = {
  /** The account that was open last. */
  account: storedPreference<string>('account', String),
  mode: storedPreference<KeyMode>('mode', (text) => keyModes.find((mode) => mode === text) ?? null),
};
