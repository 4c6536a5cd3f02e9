/** Placeholders in the shape of the content to come, so that the layout does not shift. */
import { Group, Paper, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';

const delayMs = 200;

/** Returns true once `waiting` has lasted 200 ms; a shorter wait shows no placeholder. */
export function useDelayed(waiting: boolean): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    if (!waiting) {
      setIsLate(false);
      return;
    }
    const timer = setTimeout(() => setIsLate(true), delayMs);
    return () => clearTimeout(timer);
  }, [waiting]);
  return waiting && isLate;
}

function DelayedSkeleton({ children }: { readonly children: ReactNode }): ReactNode {
  const isLate = useDelayed(true);
  return (
    <div aria-busy="true" style={{ visibility: isLate ? 'visible' : 'hidden' }}>
      {children}
    </div>
  );
}

export function TableSkeleton({ rows = 8 }: { readonly rows?: number }): ReactNode {
  return (
    <DelayedSkeleton>
      <Paper withBorder radius="md" p="md">
        <Stack gap="md">
          {Array.from({ length: rows }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
            <Group key={row} gap="xl" wrap="nowrap">
              <Skeleton h={12} w="22%" />
              <Skeleton h={12} w="38%" />
              <Skeleton h={12} w="12%" />
              <Skeleton h={12} w="14%" />
            </Group>
          ))}
        </Stack>
      </Paper>
    </DelayedSkeleton>
  );
}

export function CardSkeleton({ h = 120 }: { readonly h?: number }): ReactNode {
  return (
    <DelayedSkeleton>
      <Skeleton h={h} radius="md" />
    </DelayedSkeleton>
  );
}

/** Cards side by side, as on the pages of providers and of one account. */
export function CardsSkeleton(props: {
  readonly h?: number;
  /** One below the other. */
  readonly isWide?: true;
}): ReactNode {
  const { h = 190, isWide } = props;
  return (
    <DelayedSkeleton>
      <SimpleGrid cols={isWide ? 1 : { base: 1, md: 2 }} spacing="sm">
        {Array.from({ length: 4 }, (_, card) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the cards are identical
          <Skeleton key={card} h={h} radius="md" />
        ))}
      </SimpleGrid>
    </DelayedSkeleton>
  );
}

export function PageSkeleton(): ReactNode {
  return (
    <DelayedSkeleton>
      <Skeleton h={26} w={180} mb={10} />
      <Skeleton h={12} w="min(28rem, 80%)" mb={28} />
      <TableSkeleton />
    </DelayedSkeleton>
  );
}
