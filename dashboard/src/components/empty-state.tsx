/** Shown instead of an empty list: what the list is for, and the next step. */
import { Button, Paper, Stack, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Note } from './texts.tsx';

export function EmptyState(props: {
  readonly icon?: ReactNode;
  readonly title: string;
  /** May contain a `CodeTabs` with a command to run. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}): ReactNode {
  const { icon, title, children, action } = props;
  return (
    <Paper withBorder p={{ base: 'lg', sm: 'xl' }} radius="md">
      <Stack align="center" gap="sm" maw="40rem" mx="auto" py="lg">
        {icon === undefined ? null : (
          <ThemeIcon variant="light" size="xl" radius="xl" aria-hidden>
            {icon}
          </ThemeIcon>
        )}
        <Title order={2} fz="md" ta="center">
          {title}
        </Title>
        {typeof children === 'string' ? <Note ta="center">{children}</Note> : children}
        {action}
      </Stack>
    </Paper>
  );
}

/** Shown instead of a list that has no rows with the chosen filters. */
export function NoMatches(props: {
  /** Names the rows, such as "accounts". */
  readonly things: string;
  clear(): void;
}): ReactNode {
  return (
    <EmptyState
      title={`No matching ${props.things}`}
      action={
        <Button variant="default" onClick={props.clear}>
          Clear search and filters
        </Button>
      }
    >
      {`No ${props.things} match the search and filters.`}
    </EmptyState>
  );
}
