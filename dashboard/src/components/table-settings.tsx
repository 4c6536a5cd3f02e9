/** The density and hidden columns of a table, stored in this browser under the table's name. */
import { ActionIcon, Box, Checkbox, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import {
  CaretDownIcon,
  CaretSortIcon,
  CaretUpIcon,
  MixerHorizontalIcon,
} from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';
import { parseSort } from './sort-rows.ts';

type TableSettings = {
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

type ToggleColumn = {
  readonly accessor: string;
  readonly title: string;
  readonly fixed?: true;
};

/** The menu for the columns and the density of a table. */
export function TableSettingsMenu(props: {
  readonly columns: readonly ToggleColumn[];
  readonly settings: TableSettings;
  onChange(changed: TableSettings): void;
}): ReactNode {
  const { columns, settings, onChange } = props;
  const { hidden, dense } = settings;
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Tooltip label="Columns and density" openDelay={200}>
          <ActionIcon variant="default" size={30} aria-label="Columns and density">
            <MixerHorizontalIcon aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Columns</Menu.Label>
        {columns
          .filter(({ fixed }) => !fixed)
          .map(({ accessor, title }) => (
            <Box key={accessor} px="sm" py={6}>
              <Checkbox
                size="xs"
                label={title}
                checked={!hidden.includes(accessor)}
                onChange={({ currentTarget: { checked } }) =>
                  onChange({
                    dense,
                    hidden: checked
                      ? hidden.filter((one) => one !== accessor)
                      : [...hidden, accessor],
                  })
                }
              />
            </Box>
          ))}
        <Menu.Divider />
        <Box px="sm" py={6}>
          <Checkbox
            size="xs"
            label="Compact rows"
            checked={dense}
            onChange={({ currentTarget: { checked } }) => onChange({ hidden, dense: checked })}
          />
        </Box>
      </Menu.Dropdown>
    </Menu>
  );
}

const directions = {
  none: { icon: CaretSortIcon, next: 'ascending' },
  ascending: { icon: CaretUpIcon, next: 'descending' },
  descending: { icon: CaretDownIcon, next: 'none' },
} as const;

/** A button inside the `th`, so that the header keeps its role for screen readers. */
export function SortButton(props: {
  readonly accessor: string;
  readonly title: string;
  readonly sort: string | undefined;
  onSort(sort: string | undefined): void;
}): ReactNode {
  const { accessor, title, sort, onSort } = props;
  const chosen = parseSort(sort);
  const isChosen = chosen.accessor === accessor;
  const state = isChosen ? (chosen.isDescending ? 'descending' : 'ascending') : 'none';
  const { icon: Icon, next } = directions[state];
  const sorts = { none: undefined, ascending: accessor, descending: `-${accessor}` };
  return (
    <UnstyledButton
      ref={(button) => button?.closest('th')?.setAttribute('aria-sort', state)}
      className={classes.sortButton ?? ''}
      data-sorted={isChosen || undefined}
      onClick={() => onSort(sorts[next])}
    >
      {title}
      <Icon aria-hidden />
    </UnstyledButton>
  );
}
