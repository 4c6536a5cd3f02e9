/** Suspended refunds, which an admin retries or resolves with a note. */
import { Button, Group, Modal, Text, Textarea } from '@mantine/core';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { useState } from 'react';
import { invalidate, post } from '../api/client.ts';
import { toast, useAsyncAction } from '../components/action.ts';
import { atRight, type Column, column, timeColumn } from '../components/data-table.tsx';
import { Form } from '../components/form.tsx';
import { TextLink } from '../components/links.tsx';
import { ListTable } from '../components/list-table.tsx';
import { Page } from '../components/page.tsx';
import { EmptyState } from '../components/states.tsx';
import { Credits, formatNumber } from '../components/text.tsx';
import { failedReasonLabels } from '../components/value-labels.ts';
import { AccountLink, RefundProblem } from './account-link.tsx';

type Outcome = 'refunded' | 'written_off';
type PendingRefund = { readonly task: AdminTask; readonly outcome: Outcome };

export function RefundsPage() {
  const [selected, setSelected] = useState<PendingRefund | null>(null);
  return (
    <Page
      title="Failed refunds"
      description={
        'Failed tasks whose credits couldn’t be refunded automatically. The credits stay on ' +
        'hold until you decide.'
      }
    >
      <ListTable
        label="Failed refunds"
        things="refunds"
        path="/admin/tasks"
        query={{ refund: 'waiting' }}
        refetchMs={() => 10_000}
        columns={columnsFor(setSelected)}
        newLabel={['new refund', 'new refunds']}
        empty={
          <EmptyState title="Nothing to review">
            All refunds went through. Failed ones show up here.
          </EmptyState>
        }
      />
      <Modal
        opened={selected !== null}
        onClose={() => setSelected(null)}
        title={selected?.outcome === 'refunded' ? 'Retry refund' : 'Mark as resolved'}
      >
        {selected ? <SettleRefundForm {...selected} onDone={() => setSelected(null)} /> : null}
      </Modal>
    </Page>
  );
}

const columnsFor = (onSettle: (refund: PendingRefund) => void): Column<AdminTask>[] => [
  column('id', { title: 'Task', wraps: true }, ({ id, account_id, mode, prompt }) => (
    <TextLink
      to="/accounts/$account/tasks/$task"
      params={{ account: account_id, task: id }}
      search={{ mode }}
      fz="sm"
      lineClamp={2}
      title={prompt}
    >
      {prompt || id}
    </TextLink>
  )),
  column('account', 'Account', ({ account_id }) => <AccountLink id={account_id} />),
  column('credits', { title: 'Credits', ...atRight }, ({ credits: amount, mode }) => (
    <>
      <Credits amount={amount} /> {mode}
    </>
  )),
  column('why', 'Task failed', ({ failed_reason: reason }) => reason && failedReasonLabels[reason]),
  column('problem', { title: 'Refund failed', wraps: true }, ({ account_id }) => (
    <RefundProblem id={account_id} />
  )),
  timeColumn('created', { title: 'Created', isSortable: true }, ({ created_at }) => created_at),
  column('actions', { title: 'Actions', ...atRight }, (task) => (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button size="compact-sm" onClick={() => onSettle({ task, outcome: 'refunded' })}>
        Retry refund
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => onSettle({ task, outcome: 'written_off' })}
      >
        Mark as resolved
      </Button>
    </Group>
  )),
];

function SettleRefundForm(props: PendingRefund & { onDone(): void }) {
  const { task, outcome, onDone } = props;
  const [note, setNote] = useState('');
  const settle = useAsyncAction(async () => {
    await post(`/admin/tasks/${task.id}/settle-refund`, { outcome, note: note.trim() });
    toast(outcome === 'refunded' ? 'Refunded' : 'Marked as resolved');
    await invalidate('/admin/tasks', '/admin/summary');
    onDone();
  });
  return (
    <Form
      submit={settle}
      action={outcome === 'refunded' ? 'Retry refund' : 'Mark as resolved'}
      errorTitle="Couldn’t save"
      isDisabled={note.trim() === ''}
    >
      <Text fz="sm">
        {outcome === 'refunded'
          ? `Refunds ${formatNumber(task.credits)} suspended credits to the account.`
          : `Closes the case without refunding ${formatNumber(task.credits)} credits. ` +
            'Use it if you settled them another way.'}
      </Text>
      <Textarea
        data-autofocus
        label="Note"
        description="Saved in the audit log."
        autosize
        minRows={2}
        maxLength={1000}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
    </Form>
  );
}
