/** How reliable each provider was, by day. */
import { Box, Card, Group, Stack, Text, Tooltip } from '@mantine/core';
import type { OverviewResponse } from '@vidgen/contract/admin-system.ts';
import type { ReactNode } from 'react';
import { formatNumber, formatPercent } from '../components/format.tsx';
import { TextLink } from '../components/links.tsx';
import { providerName } from '../providers/provider-name.ts';

type Provider = OverviewResponse['providers'][number];
type Day = Provider['days'][number];

export function ProviderDays({
  providers,
}: {
  readonly providers: OverviewResponse['providers'];
}): ReactNode {
  return (
    <Card withBorder padding="md">
      <Text fw={500}>Providers</Text>
      <Text fz="xs" c="dimmed" mb="sm">
        Live and test attempts. Green days had no failures, yellow ones some, red ones over a fifth.
      </Text>
      {providers.length === 0 ? (
        <Text c="dimmed" fz="sm">
          No attempts in this period.
        </Text>
      ) : (
        <Stack gap="md">
          {providers.map((provider) => (
            <ProviderRow key={provider.name} provider={provider} />
          ))}
        </Stack>
      )}
    </Card>
  );
}

function ProviderRow({ provider }: { readonly provider: Provider }): ReactNode {
  const { name, attempts, completed, failed, days } = provider;
  const ended = completed + failed;
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <TextLink to="/operator/tasks" search={{ provider: name }} fz="sm" fw={500}>
          {providerName(name)}
        </TextLink>
        <Text fz="xs" c="dimmed">
          {formatNumber(attempts)} {attempts === 1 ? 'attempt' : 'attempts'}
          {ended === 0 ? '' : `, ${formatPercent(completed / ended)} completed`}
        </Text>
      </Group>
      <Group gap={2} wrap="nowrap" aria-hidden>
        {days.map((day) => (
          <Tooltip key={day.day} label={describe(day)} openDelay={100}>
            <Box flex={1} h={24} bg={colorOf(day)} style={{ borderRadius: 2 }} />
          </Tooltip>
        ))}
      </Group>
    </div>
  );
}

const describe = ({ day, attempts, failed }: Day): string =>
  attempts === 0
    ? `${day}: no attempts`
    : `${day}: ${formatNumber(attempts)} attempts, ${formatNumber(failed)} failed`;

function colorOf({ completed, failed }: Day): string {
  if (completed + failed === 0) return 'var(--mantine-color-default-border)';
  if (failed === 0) return 'teal.6';
  return failed / (completed + failed) > 0.2 ? 'red.6' : 'yellow.6';
}
