/** Median and 95th percentile of completion times by model and resolution. */
import type { UsageResponse } from '@vidgen/contract/usage.ts';
import type { ReactNode } from 'react';
import { formatDuration, formatNumber } from '../components/format.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { SectionCard } from '../components/section-card.tsx';

export function CompletionTimesTable({
  times,
}: {
  readonly times: UsageResponse['times'];
}): ReactNode {
  if (times.length === 0) return null;
  return (
    <SectionCard title="Completion time">
      <PlainTable
        label="Completion time"
        minWidth={420}
        columns={[
          { title: 'Model' },
          { title: 'Resolution' },
          { title: 'Completed', isNumeric: true },
          { title: 'Median', isNumeric: true },
          { title: 'p95', isNumeric: true },
        ]}
        rows={times.map((row) => ({
          id: `${row.model} ${row.resolution}`,
          cells: [
            row.model,
            row.resolution,
            formatNumber(row.tasks),
            formatDuration(row.p50_seconds),
            formatDuration(row.p95_seconds),
          ],
        }))}
      />
    </SectionCard>
  );
}
