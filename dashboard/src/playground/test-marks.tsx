/** Marks that force the outcome of a task in test mode, as chips that put them into the prompt. */
import { Chip, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

const marks = [
  { mark: '[test:fail]', label: 'Fails' },
  { mark: '[test:reject]', label: 'Is rejected' },
  { mark: '[test:timeout]', label: 'Times out after 5 s' },
  { mark: '[test:slow]', label: 'Takes 60 s' },
] as const;

export function TestMarks({
  prompt,
  onChange,
}: {
  readonly prompt: string;
  onChange(prompt: string): void;
}): ReactNode {
  // Only the first mark counts, so a new one replaces the others.
  const bare = marks.reduce((text, { mark }) => text.replaceAll(mark, ''), prompt).trimEnd();
  return (
    <Group gap={6} mt={8} role="group" aria-label="Test outcome">
      <Text fz="xs" c="dimmed">
        Simulate:
      </Text>
      {marks.map(({ mark, label }) => (
        <Chip
          key={mark}
          size="xs"
          checked={prompt.includes(mark)}
          onChange={(isChosen) => onChange(isChosen ? `${bare} ${mark}`.trimStart() : bare)}
        >
          {label}
        </Chip>
      ))}
    </Group>
  );
}
