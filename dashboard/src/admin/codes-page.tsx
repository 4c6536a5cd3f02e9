/** The admin list of redemption codes. A code is readable only in the dialog that creates it. */
import {
  ActionIcon,
  Alert,
  Badge,
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { PlusIcon, TrashIcon } from '@radix-ui/react-icons';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { CreatedCodes, RedemptionCode } from '@vidgen/contract/top-ups.ts';
import { type ReactNode, useState } from 'react';
import { del, post } from '../api/client.ts';
import { invalidate } from '../api/query-client.ts';
import { Code } from '../components/code.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { type Column, timeCells } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { type ListFilters, SearchInput, toData } from '../components/filters.tsx';
import { Form, wholeNumber } from '../components/form.tsx';
import { Credits } from '../components/format.tsx';
import { ListTable } from '../components/list-table.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { DialogButton } from '../components/setting-card.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';
import { AccountLink, accountFilter } from './account-link.tsx';

export function CodesPage(): ReactNode {
  const [revoking, setRevoking] = useState<RedemptionCode | null>(null);
  const refresh = () => invalidate('/admin/redemption-codes');
  const newCodes = (
    <DialogButton
      label="Create codes"
      title="Create redemption codes"
      button={{ leftSection: <PlusIcon aria-hidden /> }}
      modal={{ size: 'lg', closeOnClickOutside: false }}
    >
      {(close) => <NewCodes onCreated={refresh} onDone={close} />}
    </DialogButton>
  );
  return (
    <Stack gap="lg">
      <PageHeader
        title="Redemption codes"
        description="Each code adds credits to one account, once."
        actions={newCodes}
      />
      <ListTable
        label="Redemption codes"
        things="codes"
        path="/admin/redemption-codes"
        filters={filters}
        columns={columnsFor(setRevoking)}
        exports
        empty={
          <EmptyState title="No codes yet" action={newCodes}>
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
    </Stack>
  );
}

const statusColors = { open: 'green', redeemed: 'blue', expired: 'gray', revoked: 'gray' } as const;

const filters: ListFilters = {
  q: {
    label: 'Search codes',
    placeholder: 'Note, last four or creator',
    Control: SearchInput,
    isText: true,
  },
  status: {
    label: 'Status',
    placeholder: 'All codes',
    options: { open: 'Active', redeemed: 'Redeemed', expired: 'Expired', revoked: 'Revoked' },
  },
  /** The account that redeemed it. */
  account_id: accountFilter,
};

function columnsFor(revoke: (code: RedemptionCode) => void): Column<RedemptionCode>[] {
  return [
    {
      accessor: 'code',
      title: 'Code',
      noWrap: true,
      render: ({ last_four }) => (
        <Text ff="monospace" fz="sm">
          …{last_four}
        </Text>
      ),
    },
    {
      accessor: 'amount',
      title: 'Credits',
      textAlign: 'right',
      noWrap: true,
      isSortable: true,
      render: ({ amount, mode }) => (
        <Text fz="sm">
          <Credits amount={amount} /> {mode}
        </Text>
      ),
    },
    {
      accessor: 'status',
      title: 'Status',
      render: ({ status }) => (
        <Badge color={statusColors[status]}>{filters.status?.options?.[status]}</Badge>
      ),
    },
    {
      accessor: 'note',
      title: 'Note',
      render: ({ note }) => <Text fz="sm">{note}</Text>,
    },
    {
      accessor: 'ends',
      title: 'Expires',
      ...timeCells(({ expires_at }: RedemptionCode) => expires_at, { fallback: 'Never' }),
    },
    {
      accessor: 'used',
      title: 'Redeemed',
      noWrap: true,
      render: ({ redeemed_at, account_id }) =>
        account_id === null ? (
          '–'
        ) : (
          <Group gap={6} wrap="nowrap">
            <Timestamp at={redeemed_at} />
            <Text fz="sm" span>
              by
            </Text>
            <AccountLink id={account_id} />
          </Group>
        ),
    },
    {
      accessor: 'created',
      title: 'Created',
      noWrap: true,
      isSortable: true,
      render: ({ created_at, created_by }) => (
        <Text fz="sm">
          <Timestamp at={created_at} /> by {created_by}
        </Text>
      ),
    },
    {
      accessor: 'revoke',
      title: 'Actions',
      phone: 'corner',
      textAlign: 'right',
      render: (code) =>
        code.status === 'open' ? (
          <Tooltip label="Revoke">
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={`Revoke the code ending in ${code.last_four}`}
              data-short-label="Revoke"
              onClick={() => revoke(code)}
            >
              <TrashIcon aria-hidden />
            </ActionIcon>
          </Tooltip>
        ) : null,
    },
  ];
}

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

/** Creates a batch of redemption codes and shows them once, to copy. */
function NewCodes({ onCreated, onDone }: { onCreated(): void; onDone(): void }): ReactNode {
  const [created, setCreated] = useState<CreatedCodes | null>(null);
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
      setCreated(await post<CreatedCodes>('/admin/redemption-codes', { ...body, ...expiry }));
      onCreated();
    },
  });
  if (created) return <CreatedCodesPanel codes={created} onDone={onDone} />;
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

function CreatedCodesPanel(props: { readonly codes: CreatedCodes; onDone(): void }): ReactNode {
  const { codes, onDone } = props;
  const list = codes.items.map(({ code }) => code).join('\n');
  return (
    <Stack gap="md">
      <Alert color="yellow">Save these codes now. You won’t see them again.</Alert>
      <Code code={list} language="bash" label="codes" maxHeight={320} />
      <Group justify="flex-end">
        <Button onClick={onDone}>I’ve saved them</Button>
      </Group>
    </Stack>
  );
}
