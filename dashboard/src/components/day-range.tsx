/** A range of days in UTC, both inclusive. */
import { Group, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

type Range = { readonly from?: string | undefined; readonly until?: string | undefined };

export function DayRange(props: { readonly range: Range; set(part: Range): void }): ReactNode {
  const { range, set } = props;
  return (
    <Group gap="xs" wrap="nowrap">
      <DayInput label="From" value={range.from} onChange={(from) => set({ from })} />
      <DayInput label="To" value={range.until} onChange={(until) => set({ until })} />
    </Group>
  );
}

function DayInput(props: {
  readonly label: string;
  readonly value: string | undefined;
  onChange(day: string | undefined): void;
}): ReactNode {
  return (
    <TextInput
      type="date"
      size="xs"
      w={166}
      leftSection={<Text fz="xs">{props.label}</Text>}
      leftSectionWidth={40}
      aria-label={`${props.label} date (UTC)`}
      value={props.value ?? ''}
      onChange={({ currentTarget }) => props.onChange(currentTarget.value || undefined)}
    />
  );
}
