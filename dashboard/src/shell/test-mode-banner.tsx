/** Above every page of an account in test mode: what it means, and the way out. */
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { LinkButton } from '../components/links.tsx';
import classes from './shell.module.css';

export function TestModeBanner(): ReactNode {
  return (
    <Group className={classes.testModeBanner ?? ''} gap="xs" justify="center" wrap="nowrap">
      <Text fz="sm">
        <b>Test mode.</b>{' '}
        <Text span inherit visibleFrom="sm">
          Tasks return previews and use test credits.
        </Text>
      </Text>
      <LinkButton
        to="."
        search={(previous) => ({ ...previous, mode: 'live' as const })}
        size="compact-sm"
        variant="default"
      >
        Switch to live
      </LinkButton>
    </Group>
  );
}
