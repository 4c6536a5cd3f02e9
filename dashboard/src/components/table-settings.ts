/** The density and hidden columns of a table, stored in this browser under the table's name. */
import { useLocalStorage } from '@mantine/hooks';

export type TableSettings = {
  readonly dense: boolean;
  readonly hidden: readonly string[];
};

type HideableColumn = { readonly accessor: string; readonly isHiddenAtFirst?: true };

export function useTableSettings(name: string, columns: readonly HideableColumn[]) {
  const hidden = columns.filter(({ isHiddenAtFirst }) => isHiddenAtFirst);
  const defaultSettings = { dense: false, hidden: hidden.map(({ accessor }) => accessor) };
  return useLocalStorage({
    key: `vidgen.table.${name}`,
    defaultValue: defaultSettings,
    getInitialValueInEffect: false,
    deserialize: (text) => readSettings(text, defaultSettings),
  });
}

function readSettings(text = '', defaultSettings: TableSettings): TableSettings {
  try {
    const { dense, hidden } = JSON.parse(text) as Partial<TableSettings>;
    return { dense: dense === true, hidden: Array.isArray(hidden) ? hidden.map(String) : [] };
  } catch {
    return defaultSettings;
  }
}
