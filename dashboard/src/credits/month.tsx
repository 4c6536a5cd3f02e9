/** The statement of a month, to print or to save as PDF by the browser's print. */
import { Button, Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { StatementResponse } from '@vidgen/contract/statement.ts';
import { serviceUrl } from '../api/base-path.ts';
import { resource } from '../api/client.ts';
import { serviceNowMs } from '../api/service-clock.ts';
import { useAccount } from '../api/session.ts';
import { useFilters } from '../components/filters.tsx';
import { DescriptionList, Page, SectionCard } from '../components/page.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { Loaded } from '../components/states.tsx';
import { Credits, formatDay, formatNumber, Note } from '../components/text.tsx';

const monthFormat = new Intl.DateTimeFormat('en', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});
const monthLabel = (month: string): string => monthFormat.format(new Date(`${month}-01`));

/** The months since then, the current one first: `2026-01`. */
function monthsSince(seconds: number): string[] {
  const months: string[] = [];
  const first = new Date(seconds * 1000).toISOString().slice(0, 7);
  const month = new Date(`${new Date(serviceNowMs()).toISOString().slice(0, 7)}-01`);
  for (; month.toISOString().slice(0, 7) >= first; month.setUTCMonth(month.getUTCMonth() - 1)) {
    months.push(month.toISOString().slice(0, 7));
  }
  return months;
}

export function MonthPage() {
  const { id, account, mode, name } = useAccount();
  const months = monthsSince(account?.created_at ?? serviceNowMs() / 1000);
  const options = Object.fromEntries(months.map((month) => [month, monthLabel(month)]));
  const { values, set } = useFilters({ month: { options } });
  const month = values.month ?? months[0] ?? '';
  const query = useQuery({
    ...resource<StatementResponse>(`/admin/accounts/${id}/statement`, { mode, month }),
    enabled: month !== '',
  });
  return (
    <Page
      title={`Statement of ${monthLabel(month)}`}
      description={`${name}, ${mode} credits. Days are in UTC.`}
      actions={
        <Group gap="xs" data-screen-only>
          <Select
            aria-label="Month"
            w={170}
            allowDeselect={false}
            data={months.map((value) => ({ value, label: monthLabel(value) }))}
            value={month}
            onChange={(chosen) => set({ month: chosen ?? undefined })}
          />
          <Button onClick={() => window.print()}>Print or save as PDF</Button>
        </Group>
      }
    >
      <Loaded query={query} what="the statement" height={320}>
        {(statement) => <MonthStatement statement={statement} />}
      </Loaded>
      <Note>{`Account ${id} at ${serviceUrl}`}</Note>
    </Page>
  );
}

const titles = { grant: 'Added', deduct: 'Removed', charge: 'Charged' } as const;

function MonthStatement({ statement }: { readonly statement: StatementResponse }) {
  const { lines, opening_balance: opening, closing_balance: closing } = statement;
  let balance = opening;
  const rows = lines.map(({ day, kind, note, reference, entries, credits }, index) => {
    const amount = kind === 'grant' ? credits : -credits;
    balance += amount;
    const tasks = `${formatNumber(entries)} ${entries === 1 ? 'task' : 'tasks'}`;
    const details = kind === 'charge' ? tasks : [note, reference].filter(Boolean).join(', ');
    return {
      id: String(index),
      cells: [
        formatDay(day),
        titles[kind],
        details,
        <Credits key="amount" amount={amount} signed />,
        <Credits key="balance" amount={balance} />,
      ],
    };
  });
  const sumOf = (kind: keyof typeof titles) =>
    lines.reduce((sum, line) => sum + (line.kind === kind ? line.credits : 0), 0);
  return (
    <>
      <SectionCard title="Summary">
        <DescriptionList
          items={[
            ['Opening balance', <Credits key="opening" amount={opening} />],
            ['Added', <Credits key="added" amount={sumOf('grant')} signed />],
            ['Removed', <Credits key="removed" amount={-sumOf('deduct')} />],
            ['Charged', <Credits key="charged" amount={-sumOf('charge')} />],
            ['Closing balance', <Credits key="closing" amount={closing} fw={600} />],
          ]}
        />
      </SectionCard>
      <SectionCard title="Entries">
        {rows.length === 0 ? (
          <Text fz="sm">Nothing was added or charged in this month.</Text>
        ) : (
          <PlainTable
            label="Entries"
            minWidth={560}
            columns={['Day', 'Type', 'Details', 'Amount', 'Balance']}
            figuresFrom={3}
            rows={rows}
          />
        )}
      </SectionCard>
    </>
  );
}
