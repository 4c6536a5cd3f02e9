/** Adds credits by hand, with the reason that stands in the statement. */
import { Button, Card, Group, NumberInput, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { applyServerErrors, focusFirstInvalid } from '../components/form-errors.ts';
import { formatNumber } from '../components/format.tsx';
import { toast } from '../components/toast.ts';

type GrantFormValues = {
  readonly amount: number | '';
  readonly mode: KeyMode;
  readonly note: string;
  readonly reference: string;
};
const empty: GrantFormValues = { amount: '', mode: 'live', note: '', reference: '' };

export function GrantForm({ account }: { readonly account: string }): ReactNode {
  const client = useQueryClient();
  const [error, setError] = useState<Error | null>(null);
  const form = useForm<GrantFormValues>({
    initialValues: empty,
    validate: {
      amount: (amount) => (Number(amount) >= 1 ? null : 'At least one credit'),
      note: (note) => (note.trim() === '' ? 'Say why: it stands in the statement' : null),
    },
  });
  const grant = async ({ amount, mode, note, reference }: GrantFormValues) => {
    setError(null);
    const optionalReference = reference.trim() === '' ? {} : { reference: reference.trim() };
    const body = { amount: Number(amount), mode, note: note.trim(), ...optionalReference };
    try {
      const entry = await post<LedgerEntry>(`/admin/accounts/${account}/credits`, body);
      toast(`${formatNumber(entry.amount)} ${entry.mode} credits added`);
      form.reset();
      await client.invalidateQueries({ queryKey: keys.account(account) });
    } catch (cause) {
      setError(applyServerErrors(form, cause, ['amount', 'note', 'reference']));
    }
  };
  return (
    <Card withBorder padding="md">
      <Text component="h2" fz="md" fw={600} mb="xs">
        Add credits
      </Text>
      <form onSubmit={form.onSubmit(grant, focusFirstInvalid(form))} noValidate>
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
          <TextInput label="Why" flex="2 1 14rem" {...form.getInputProps('note')} />
          <TextInput
            label="Reference, booked once"
            placeholder="invoice number"
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
            Add
          </Button>
        </Group>
      </form>
      {error ? <ErrorNotice error={error} title="Nothing was added" /> : null}
    </Card>
  );
}
