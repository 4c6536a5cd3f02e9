/** How much of a limit is used, as text and a bar. The bar is red when nothing is left. */
import { Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatNumber } from './format.tsx';

/** From this share on, the bar is yellow. */
const nearlyUsed = 0.8;

/** How full a bar is, in percent, and its color if little is left. A limit of 0 is used up. */
export function meterOf({ used, limit }: { readonly used: number; readonly limit: number }) {
  const share = limit === 0 ? 1 : used / limit;
  const color = share >= 1 ? 'red' : share >= nearlyUsed ? 'yellow' : null;
  return { value: Math.min(1, share) * 100, ...(color ? { color } : {}) };
}

export function UseMeter({
  label,
  used,
  limit,
  note,
}: {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  readonly note?: ReactNode;
}): ReactNode {
  const figures = `${formatNumber(used)} of ${formatNumber(limit)}`;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text fz="sm">{label}</Text>
        <Text fz="sm" style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
          {figures}
        </Text>
      </Group>
      <Progress size={6} aria-label={`${label}: ${figures}`} {...meterOf({ used, limit })} />
      {note ? (
        <Text fz="xs" c="dimmed">
          {note}
        </Text>
      ) : null}
    </Stack>
  );
}
