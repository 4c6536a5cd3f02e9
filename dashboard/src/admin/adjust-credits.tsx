/** Adds credits to an account, or takes back available ones. The reason is in its history. */
import { Modal, NumberInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import type { Account, LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { ReactNode } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { Credits, formatNumber } from '../components/format.tsx';
import { SubmitRow } from '../components/submit-row.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';

type DialogProps = {
  readonly account: Account;
  readonly opened: boolean;
  onClose(): void;
};

type AdjustmentValues = {
  readonly direction: 'add' | 'remove';
  readonly amount: number | '';
  readonly mode: KeyMode;
  readonly note: string;
  readonly reference: string;
};

export function AdjustCreditsDialog({ account, opened, onClose }: DialogProps): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title="Adjust credits">
      <AdjustmentForm account={account} onDone={onClose} />
    </Modal>
  );
}

function AdjustmentForm({ account, onDone }: { readonly account: Account; onDone(): void }) {
  const { form, error, onSubmit } = useApiForm<AdjustmentValues>({
    initialValues: { direction: 'add', amount: '', mode: 'live', note: '', reference: '' },
    validate: {
      amount: (amount, { direction, mode }) => {
        if (!(Number(amount) >= 1)) return 'Enter 1 or more';
        const { available } = account.balance[mode];
        const isTooMuch = direction === 'remove' && Number(amount) > available;
        return isTooMuch ? `Only ${formatNumber(available)} ${mode} credits are available` : null;
      },
      note: (note) =>
        note.trim() === '' ? 'Enter a reason. It shows in the credit history.' : null,
    },
    async send({ direction, amount, mode, note, reference }) {
      const optionalReference = reference.trim() === '' ? {} : { reference: reference.trim() };
      const signed = direction === 'add' ? Number(amount) : -Number(amount);
      const body = { amount: signed, mode, note: note.trim(), ...optionalReference };
      const entry = await post<LedgerEntry>(`/admin/accounts/${account.id}/credits`, body);
      const done = direction === 'add' ? 'Added' : 'Removed';
      toast(`${done} ${formatNumber(entry.amount)} ${entry.mode} credits`);
      await queryClient.invalidateQueries({ queryKey: keys.account(account.id) });
      onDone();
    },
  });
  const { direction, mode, amount } = form.values;
  const { available } = account.balance[mode];
  const after = available + (direction === 'add' ? 1 : -1) * Number(amount);
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <SegmentedControl
          fullWidth
          aria-label="Adjustment"
          data={[
            { value: 'add', label: 'Add credits' },
            { value: 'remove', label: 'Remove credits' },
          ]}
          {...form.getInputProps('direction')}
        />
        <SegmentedControl
          fullWidth
          aria-label="Balance"
          data={[
            { value: 'live', label: 'Live' },
            { value: 'test', label: 'Test' },
          ]}
          {...form.getInputProps('mode')}
        />
        <NumberInput
          data-autofocus
          label="Credits"
          min={1}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          {...form.getInputProps('amount')}
        />
        <TextInput
          label="Reason"
          description="Shows in the account’s credit history."
          maxLength={1000}
          {...form.getInputProps('note')}
        />
        <TextInput
          label="Reference (optional)"
          description="Applied once, even if you submit it twice."
          placeholder="Invoice number"
          maxLength={255}
          {...form.getInputProps('reference')}
        />
        <Text fz="sm" c="dimmed">
          {mode === 'live' ? 'Live' : 'Test'} balance: <Credits amount={available} />
          {Number(amount) > 0 && after >= 0 ? (
            <>
              {' → '}
              <Credits amount={after} fw={600} />
            </>
          ) : null}
          {direction === 'remove' ? '. Reserved and spent credits can’t be removed.' : ''}
        </Text>
        <SubmitRow
          error={error}
          errorTitle="Couldn’t adjust the credits"
          isPending={form.submitting}
        >
          {direction === 'add' ? 'Add credits' : 'Remove credits'}
        </SubmitRow>
      </Stack>
    </form>
  );
}
