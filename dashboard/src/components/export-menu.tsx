/** Downloads the filtered list as CSV or JSON. */
import { Button, Menu } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { buildUrl, type Query } from '../api/client.ts';

export function ExportMenu(props: {
  /** The path of the list, such as `/admin/accounts/…/tasks`. */
  readonly path: string;
  /** The filters of the list. */
  readonly query?: Query;
}): ReactNode {
  const { path, query = {} } = props;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<DownloadIcon aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['csv', 'json'] as const).map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={buildUrl(path, { ...query, format })}
            download
          >
            Export as {format.toUpperCase()}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
