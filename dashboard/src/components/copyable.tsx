/** An id or an address in figures of one width, with its copy button; too long, it is cut. */
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

export function Copyable({
  value,
  label,
  displayValue,
}: {
  readonly value: string;
  /** What it is, for the name of the button: "task id". */
  readonly label: string;
  /** Something shorter to show; all of it is copied. */
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
