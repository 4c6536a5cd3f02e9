/** Grants credits to an account. The reason is shown in its credit history. */
import { Button, Group, NumberInput, SegmentedControl, TextInput } from '@mantine/core';
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { ReactNode } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';

type GrantFormValues = {
  readonly amount: number | '';
  readonly mode: KeyMode;
  readonly note: string;
  readonly reference: string;
};

export function GrantForm({ account }: { readonly account: string }): ReactNode {
  const { form, error, onSubmit } = useApiForm<GrantFormValues>({
    initialValues: { amount: '', mode: 'live', note: '', reference: '' },
    validate: {
      amount: (amount) => (Number(amount) >= 1 ? null : 'Enter 1 or more'),
      note: (note) =>
        note.trim() === '' ? 'Enter a reason. It shows in the credit history.' : null,
    },
    async send({ amount, mode, note, reference }) {
      const optionalReference = reference.trim() === '' ? {} : { reference: reference.trim() };
      const body = { amount: Number(amount), mode, note: note.trim(), ...optionalReference };
      const entry = await post<LedgerEntry>(`/admin/accounts/${account}/credits`, body);
      toast(`Added ${formatNumber(entry.amount)} ${entry.mode} credits`);
      form.reset();
      await queryClient.invalidateQueries({ queryKey: keys.account(account) });
    },
  });
  return (
    <SectionCard title="Add credits">
      <form onSubmit={onSubmit} noValidate>
        <Group align="flex-start" gap="sm">
          <NumberInput
            label="Credits"
            min={1}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            w={130}
            {...form.getInputProps('amount')}
          />
          <TextInput label="Reason" flex="2 1 14rem" {...form.getInputProps('note')} />
          <TextInput
            label="Reference (optional, applied once)"
            placeholder="Invoice number"
            flex="1 1 11rem"
            {...form.getInputProps('reference')}
          />
          <SegmentedControl
            mt={25}
            aria-label="Balance"
            data={[
              { value: 'live', label: 'Live' },
              { value: 'test', label: 'Test' },
            ]}
            {...form.getInputProps('mode')}
          />
          <Button type="submit" mt={25} loading={form.submitting}>
            Add credits
          </Button>
        </Group>
      </form>
      {error ? <ErrorNotice error={error} title="Couldn’t add credits" /> : null}
    </SectionCard>
  );
}
