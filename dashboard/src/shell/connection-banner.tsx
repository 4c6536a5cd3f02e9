/** Says above every page that the service cannot be reached, until it can. */
import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { retryConnection, useIsConnectionLost } from '../api/connection.ts';
import { useAsyncAction } from '../components/use-async-action.ts';
import classes from './shell.module.css';

export function ConnectionBanner(): ReactNode {
  const isLost = useIsConnectionLost();
  const retry = useAsyncAction(retryConnection);
  return (
    <div role="status" className={classes.bannerSlot}>
      {isLost ? (
        <Group className={classes.connectionBanner ?? ''} gap="sm" justify="center">
          <Text fz="sm" fw={500}>
            {navigator.onLine ? 'Can’t reach the server. Retrying…' : 'You’re offline. Retrying…'}
          </Text>
          <Button size="compact-sm" variant="default" loading={retry.isPending} onClick={retry.run}>
            Retry now
          </Button>
        </Group>
      ) : null}
    </div>
  );
}
