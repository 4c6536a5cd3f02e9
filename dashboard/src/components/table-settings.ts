/** How dense a table is and which columns it hides: each table's own, remembered. */
import { useState } from 'react';
import { storedPreference } from '../api/preferences.ts';

export type TableSettings = {
  readonly dense: boolean;
  readonly hidden: readonly string[];
};

const defaultSettings: TableSettings = { dense: false, hidden: [] };

export function useTableSettings(name: string): [TableSettings, (changed: TableSettings) => void] {
  const preference = storedPreference<TableSettings>(`table.${name}`, readSettings, JSON.stringify);
  const [settings, setSettings] = useState(() => preference.get() ?? defaultSettings);
  return [
    settings,
    (changed) => {
      preference.set(changed);
      setSettings(changed);
    },
  ];
}

function readSettings(text: string): TableSettings | null {
  try {
    const { dense, hidden } = JSON.parse(text) as Partial<TableSettings>;
    return { dense: dense === true, hidden: Array.isArray(hidden) ? hidden.map(String) : [] };
  } catch {
    return null;
  }
}
