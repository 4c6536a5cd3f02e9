/** Shown instead of a list that has no rows with the chosen filters. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { EmptyState } from './empty-state.tsx';

export function NoMatches(props: {
  /** In the plural, such as "accounts". */
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
