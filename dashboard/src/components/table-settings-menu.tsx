/** The menu for the columns and the density of a table. */
import { ActionIcon, Box, Checkbox, Menu, Tooltip } from '@mantine/core';
import { MixerHorizontalIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import type { TableSettings } from './table-settings.ts';

type ToggleColumn = {
  readonly accessor: string;
  readonly title: string;
  readonly fixed?: true;
};

export function TableSettingsMenu({
  columns,
  settings,
  onChange,
}: {
  readonly columns: readonly ToggleColumn[];
  readonly settings: TableSettings;
  onChange(changed: TableSettings): void;
}): ReactNode {
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
