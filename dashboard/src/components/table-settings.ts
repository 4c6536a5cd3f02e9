/** The density and hidden columns of a table, stored in this browser under the table's name. */
import { useLocalStorage } from '@mantine/hooks';

export type TableSettings = {
  readonly dense: boolean;
  readonly hidden: readonly string[];
};

const defaultSettings: TableSettings = { dense: false, hidden: [] };

export function useTableSettings(name: string) {
  return useLocalStorage({
    key: `vidgen.table.${name}`,
    defaultValue: defaultSettings,
    getInitialValueInEffect: false,
    deserialize: readSettings,
  });
}

function readSettings(text = ''): TableSettings {
  try {
    const { dense, hidden } = JSON.parse(text) as Partial<TableSettings>;
    return { dense: dense === true, hidden: Array.isArray(hidden) ? hidden.map(String) : [] };
  } catch {
    return defaultSettings;
  }
}
