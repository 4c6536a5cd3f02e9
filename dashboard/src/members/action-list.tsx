/** A titled list whose rows have a button each, and the failure of that button's request. */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';

export function ActionList({
  title,
  description,
  actions,
  children,
}: {
  readonly title: string;
  readonly description?: string;
  /** Next to the title, such as a search. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Stack gap="sm" mt="xl">
      <Group justify="space-between" gap="sm">
        <div>
          <Title order={2}>{title}</Title>
          {description ? (
            <Text fz="sm" c="dimmed">
              {description}
            </Text>
          ) : null}
        </div>
        {actions}
      </Group>
      <Paper withBorder p="md">
        <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {children}
        </Stack>
      </Paper>
    </Stack>
  );
}

export function ActionRow({
  title,
  details,
  action,
  actionName,
  actionLabel,
  errorTitle,
}: {
  readonly title: string;
  readonly details: ReactNode;
  readonly action: { readonly isPending: boolean; readonly error: Error | null; mutate(): void };
  readonly actionName: string;
  /** For screen readers, where the name alone does not say what the action changes. */
  readonly actionLabel?: string;
  readonly errorTitle: string;
}): ReactNode {
  return (
    <Group component="li" justify="space-between" gap="sm">
      <div>
        <Text fz="sm" fw={500}>
          {title}
        </Text>
        <Text fz="xs" c="dimmed">
          {details}
        </Text>
      </div>
      <Button
        size="xs"
        variant="default"
        loading={action.isPending}
        onClick={() => action.mutate()}
        aria-label={actionLabel}
      >
        {actionName}
      </Button>
      {action.error ? <ErrorNotice error={action.error} title={errorTitle} /> : null}
    </Group>
  );
}
