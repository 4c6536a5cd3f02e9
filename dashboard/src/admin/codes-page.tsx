/** The admin list of redemption codes. A code is readable only in the dialog that creates it. */
import {
  Badge,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Text,
  TextInput,
} from '@mantine/core';
import { TrashIcon } from '@radix-ui/react-icons';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { CreatedCodes, RedemptionCode } from '@vidgen/contract/top-ups.ts';
import { useState } from 'react';
import { del, invalidate, post } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { IconAction } from '../components/actions-menu.tsx';
import { useApiForm } from '../components/api-form.ts';
import { Code } from '../components/code.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { atRight, type Column, column, timeColumn } from '../components/data-table.tsx';
import { type ListFilters, toData } from '../components/filters.tsx';
import { Form, wholeNumber } from '../components/form.tsx';
import { ListTable } from '../components/list-table.tsx';
import { OnceButton } from '../components/once-dialog.tsx';
import { Page } from '../components/page.tsx';
import { EmptyState } from '../components/states.tsx';
import { Credits, Timestamp } from '../components/text.tsx';
import { AccountLink, accountFilter } from './account-link.tsx';

export function CodesPage() {
  const [revoking, setRevoking] = useState<RedemptionCode | null>(null);
  const refresh = () => invalidate('/admin/redemption-codes');
  return (
    <Page
      title="Redemption codes"
      description="Each code adds credits to one account, once."
      actions={
        <OnceButton<CreatedCodes>
          label="Create codes"
          title="Create redemption codes"
          form={(show) => <CodesForm onCreated={show} />}
          refresh={refresh}
          shownTitle="Save your codes"
          warning="Save these codes now. You won’t see them again."
          done="I’ve saved them"
        >
          {({ items }) => (
            <Code
              code={items.map(({ code }) => code).join('\n')}
              language="bash"
              label="codes"
              maxHeight={320}
            />
          )}
        </OnceButton>
      }
    >
      <ListTable
        label="Redemption codes"
        things="codes"
        path="/admin/redemption-codes"
        filters={filters}
        columns={columnsFor(setRevoking)}
        exports
        empty={
          <EmptyState title="No codes yet">
            Give codes to customers so they can add credits themselves.
          </EmptyState>
        }
      />
      <ConfirmDialog
        opened={revoking !== null}
        onClose={() => setRevoking(null)}
        title="Revoke code?"
        action="Revoke code"
        run={async () => {
          await del(`/admin/redemption-codes/${revoking?.id}`);
          toast('Code revoked');
          await refresh();
        }}
      >
        The code ending in {revoking?.last_four} can no longer be redeemed.
      </ConfirmDialog>
    </Page>
  );
}

const statusColors = { open: 'green', redeemed: 'blue', expired: 'gray', revoked: 'gray' } as const;

const filters: ListFilters = {
  q: { label: 'Search codes', placeholder: 'Note, last four or creator', isText: true },
  status: {
    label: 'Status',
    placeholder: 'All codes',
    options: { open: 'Active', redeemed: 'Redeemed', expired: 'Expired', revoked: 'Revoked' },
  },
  /** The account that redeemed it. */
  account_id: accountFilter,
};

const columnsFor = (revoke: (code: RedemptionCode) => void): Column<RedemptionCode>[] => [
  column('code', 'Code', ({ last_four }) => (
    <Text ff="monospace" fz="sm">
      …{last_four}
    </Text>
  )),
  column('amount', { title: 'Credits', ...atRight, isSortable: true }, ({ amount, mode }) => (
    <>
      <Credits amount={amount} /> {mode}
    </>
  )),
  column('status', 'Status', ({ status }) => (
    <Badge color={statusColors[status]}>{filters.status?.options?.[status]}</Badge>
  )),
  column('note', { title: 'Note', wraps: true }, ({ note }) => note),
  timeColumn('ends', 'Expires', ({ expires_at }) => expires_at, 'Never'),
  column('used', 'Redeemed', ({ redeemed_at, account_id }) =>
    account_id === null ? (
      '–'
    ) : (
      <Group gap={4} wrap="nowrap">
        <Timestamp at={redeemed_at} /> by <AccountLink id={account_id} />
      </Group>
    ),
  ),
  column('created', { title: 'Created', isSortable: true }, ({ created_at, created_by }) => (
    <>
      <Timestamp at={created_at} /> by {created_by}
    </>
  )),
  column('revoke', { title: 'Actions', ...atRight, phone: 'corner' }, (code) =>
    code.status === 'open' ? (
      <IconAction
        label="Revoke"
        name={`Revoke the code ending in ${code.last_four}`}
        color="red"
        onClick={() => revoke(code)}
      >
        <TrashIcon aria-hidden />
      </IconAction>
    ) : null,
  ),
];

type CodesFormValues = {
  readonly amount: number | '';
  readonly count: number | '';
  readonly mode: KeyMode;
  readonly note: string;
  readonly days: string;
};

const expiryOptions = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

function CodesForm({ onCreated }: { onCreated(codes: CreatedCodes): void }) {
  const { form, submit } = useApiForm<CodesFormValues>({
    initialValues: { amount: '', count: 1, mode: 'live', note: '', days: '' },
    validate: {
      amount: (amount) => (Number(amount) >= 1 ? null : 'Enter 1 or more'),
      count: (count) => (Number(count) >= 1 && Number(count) <= 1000 ? null : 'Enter 1 to 1,000'),
      note: (note) => (note.trim() === '' ? 'Enter a note. It shows in the credit history.' : null),
    },
    async send({ amount, count, mode, note, days }) {
      const now = Math.floor(Date.now() / 1000);
      const expiry = days === '' ? {} : { expires_at: now + Number(days) * 86_400 };
      const body = { amount: Number(amount), count: Number(count), mode, note: note.trim() };
      onCreated(await post<CreatedCodes>('/admin/redemption-codes', { ...body, ...expiry }));
    },
  });
  return (
    <Form submit={submit} action="Create codes" errorTitle="Couldn’t create codes">
      <Group grow align="flex-start">
        <NumberInput
          data-autofocus
          label="Credits per code"
          min={1}
          {...wholeNumber}
          {...form.getInputProps('amount')}
        />
        <NumberInput
          label="Number of codes"
          min={1}
          max={1000}
          {...wholeNumber}
          {...form.getInputProps('count')}
        />
      </Group>
      <TextInput label="Note" maxLength={1000} {...form.getInputProps('note')} />
      <Group grow align="flex-end">
        <Select label="Expires" data={expiryOptions} {...form.getInputProps('days')} />
        <SegmentedControl
          aria-label="Balance"
          data={toData({ live: 'Live', test: 'Test' })}
          {...form.getInputProps('mode')}
        />
      </Group>
    </Form>
  );
}
