/** An ID or a URL in a monospace font with a copy button, truncated where it does not fit. */
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

export function Copyable({
  value,
  label,
  displayValue,
}: {
  readonly value: string;
  /** Names the value in the label of the button, such as "task ID". */
  readonly label: string;
  /** Shown instead of the value, which is still what is copied. */
  readonly displayValue?: ReactNode;
}): ReactNode {
  return (
    <Group gap={4} wrap="nowrap" miw={0} maw="100%" display="inline-flex">
      <Text span ff="monospace" fz="sm" truncate title={value}>
        {displayValue ?? value}
      </Text>
      <CopyButton value={value} label={label} />
    </Group>
  );
}
