/** How long completed tasks took, by model and resolution: half of them, and nineteen of twenty. */
import { Card, Text } from '@mantine/core';
import type { UsageAnswer } from '@vidgen/contract/usage.ts';
import type { ReactNode } from 'react';
import { credits, duration } from '../components/figures.tsx';
import { PlainTable } from '../components/plain-table.tsx';

export function Times({ times }: { readonly times: UsageAnswer['times'] }): ReactNode {
  if (times.length === 0) return null;
  return (
    <Card withBorder padding="md">
      <Text component="h2" fz="md" fw={600} mb="xs">
        Time to completion
      </Text>
      <PlainTable
        label="Time to completion"
        minWidth={420}
        head={[
          { title: 'Model' },
          { title: 'Resolution' },
          { title: 'Completed', isFigure: true },
          { title: 'Half within', isFigure: true },
          { title: '95 % within', isFigure: true },
        ]}
        rows={times.map((row) => ({
          id: `${row.model} ${row.resolution}`,
          cells: [
            row.model,
            row.resolution,
            credits(row.tasks),
            duration(row.p50_seconds),
            duration(row.p95_seconds),
          ],
        }))}
      />
    </Card>
  );
}
