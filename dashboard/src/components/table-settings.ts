/** How dense a table is and which columns it hides: each table's own, remembered. */
import { useState } from 'react';
import { rememberedValue } from '../api/remembered.ts';

export type TableSettings = {
  readonly dense: boolean;
  readonly hidden: readonly string[];
};

const usual: TableSettings = { dense: false, hidden: [] };

export function useTableSettings(name: string): [TableSettings, (changed: TableSettings) => void] {
  const memory = rememberedValue<TableSettings>(`table.${name}`, readSettings, JSON.stringify);
  const [settings, setSettings] = useState(() => memory.get() ?? usual);
  return [
    settings,
    (changed) => {
      memory.set(changed);
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
