/**
 * An error, shown where it happened, with the request ID and an optional retry button. Nothing if
 * there is none.
 */
import { Alert, Button, Group, Text } from '@mantine/core';
import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { CopyButton } from './copy-button.tsx';
import { CardSkeleton } from './skeletons.tsx';

export function ErrorNotice(props: {
  readonly error: Error | null | undefined;
  /** Says what failed: "Couldn’t load tasks". */
  readonly title: string;
  readonly retry?: () => void;
}): ReactNode {
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
}): ReactNode {
  const { query, what, height, placeholder = height && <CardSkeleton h={height} /> } = props;
  const { data, error, refetch } = query;
  return (
    <>
      <ErrorNotice error={error} title={`Couldn’t load ${what}`} retry={() => void refetch()} />
      {data === undefined ? !error && placeholder : props.children(data)}
    </>
  );
}
