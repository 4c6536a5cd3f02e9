/** What is shown instead of content: placeholders in its shape, errors, and empty lists. */
import {
  Alert,
  Button,
  Group,
  Paper,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  ThemeIcon,
  Title,
} from '@mantine/core';
import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { CopyButton } from './code.tsx';
import { Note } from './text.tsx';

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

function DelayedSkeleton({ children }: { readonly children: ReactNode }) {
  const isLate = useDelayed(true);
  return (
    <div aria-busy="true" style={{ visibility: isLate ? 'visible' : 'hidden' }}>
      {children}
    </div>
  );
}

export function TableSkeleton({ rows = 8 }: { readonly rows?: number }) {
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

export function CardSkeleton({ h = 120 }: { readonly h?: number }) {
  return (
    <DelayedSkeleton>
      <Skeleton h={h} radius="md" />
    </DelayedSkeleton>
  );
}

/** Cards side by side, as on the pages of providers and of one account. */
export function CardsSkeleton(props: {
  readonly h?: number;
  readonly count?: number;
  /** One below the other. */
  readonly isWide?: true;
}) {
  const { h = 190, count = 4, isWide } = props;
  return (
    <DelayedSkeleton>
      <SimpleGrid cols={isWide ? 1 : { base: 1, md: 2 }} spacing={isWide ? 'sm' : 'md'}>
        {Array.from({ length: count }, (_, card) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the cards are identical
          <Skeleton key={card} h={h} radius="md" />
        ))}
      </SimpleGrid>
    </DelayedSkeleton>
  );
}

export function PageSkeleton(props: { readonly hasCards?: true }) {
  return (
    <DelayedSkeleton>
      <Skeleton h={26} w={180} mb={10} />
      <Skeleton h={12} w="min(28rem, 80%)" mb={28} />
      {props.hasCards ? <CardsSkeleton h={360} count={2} /> : <TableSkeleton />}
    </DelayedSkeleton>
  );
}

export function ErrorNotice(props: {
  readonly error: Error | null | undefined;
  /** Says what failed: "Couldn’t load tasks". */
  readonly title: string;
  readonly retry?: () => void;
}) {
  const { error, title, retry } = props;
  if (!error) return null;
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <Alert color="red" title={title} icon={<ExclamationTriangleIcon aria-hidden />} role="alert">
      <Text fz="sm">{error.message}</Text>
      <Group gap="xs" mt={requestId || retry ? 'xs' : 0}>
        {requestId ? (
          <Group gap={4}>
            <Text fz="xs" ff="monospace">
              {requestId}
            </Text>
            <CopyButton value={requestId} label="request ID" />
          </Group>
        ) : null}
        {retry ? (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        ) : null}
      </Group>
    </Alert>
  );
}

/** Shows what a query has loaded, a placeholder until then, and why it failed. */
export function Loaded<Data>(props: {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** Completes "Couldn’t load": "tasks". */
  readonly what: string;
  /** The height of the placeholder, in pixels. */
  readonly height?: number;
  /** Replaces a plain one. */
  readonly placeholder?: ReactNode;
  children(data: Data): ReactNode;
}) {
  const { query, what, height, placeholder = height && <CardSkeleton h={height} /> } = props;
  const { data, error, refetch } = query;
  return (
    <>
      <ErrorNotice error={error} title={`Couldn’t load ${what}`} retry={() => void refetch()} />
      {data === undefined ? !error && placeholder : props.children(data)}
    </>
  );
}

export function EmptyState(props: {
  readonly icon?: ReactNode;
  readonly title: string;
  /** May contain a `CodeTabs` with a command to run. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
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
  /** The service has read a part of the list so far. */
  readonly isPartial: boolean;
  clear(): void;
}) {
  const { things, isPartial } = props;
  return (
    <EmptyState
      title={isPartial ? `No matching ${things} so far` : `No matching ${things}`}
      action={
        <Button variant="default" onClick={props.clear}>
          Clear search and filters
        </Button>
      }
    >
      {isPartial
        ? `None of the first ${things} match the filters. Load more to search on.`
        : `No ${things} match the search and filters.`}
    </EmptyState>
  );
}
