/** Downloads everything of an account as one archive. */
import { Button } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { buildUrl } from '../api/client.ts';

export const AccountArchiveButton = ({ account }: { readonly account: string }): ReactNode => (
  <Button
    component="a"
    variant="default"
    leftSection={<DownloadIcon aria-hidden />}
    href={buildUrl(`/admin/accounts/${account}/archive`)}
    download
  >
    Export data
  </Button>
);
