/** Adds credits to an account, or takes back available ones. The reason is in its history. */
import { NumberInput, SegmentedControl, TextInput } from '@mantine/core';
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { invalidate, post } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { toData } from '../components/filters.tsx';
import { Form, wholeNumber } from '../components/form.tsx';
import { Credits, formatNumber, Note } from '../components/text.tsx';
import type { AccountFormProps } from './account-cards.tsx';

type AdjustmentValues = {
  readonly direction: 'add' | 'remove';
  readonly amount: number | '';
  readonly mode: KeyMode;
  readonly note: string;
  readonly reference: string;
};

export function AdjustmentForm({ account, onDone }: AccountFormProps) {
  const { form, submit } = useApiForm<AdjustmentValues>({
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
      await invalidate(`/admin/accounts/${account.id}`);
      onDone();
    },
  });
  const { direction, mode, amount } = form.values;
  const { available } = account.balance[mode];
  const after = available + (direction === 'add' ? 1 : -1) * Number(amount);
  return (
    <Form
      submit={submit}
      action={direction === 'add' ? 'Add credits' : 'Remove credits'}
      errorTitle="Couldn’t adjust the credits"
    >
      <SegmentedControl
        fullWidth
        aria-label="Adjustment"
        data={toData({ add: 'Add credits', remove: 'Remove credits' })}
        {...form.getInputProps('direction')}
      />
      <SegmentedControl
        fullWidth
        aria-label="Balance"
        data={toData({ live: 'Live', test: 'Test' })}
        {...form.getInputProps('mode')}
      />
      <NumberInput
        data-autofocus
        label="Credits"
        min={1}
        {...wholeNumber}
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
      <Note>
        {mode === 'live' ? 'Live' : 'Test'} balance: <Credits amount={available} />
        {Number(amount) > 0 && after >= 0 ? (
          <>
            {' → '}
            <Credits amount={after} fw={600} />
          </>
        ) : null}
        {direction === 'remove' ? '. Reserved and spent credits can’t be removed.' : ''}
      </Note>
    </Form>
  );
}
