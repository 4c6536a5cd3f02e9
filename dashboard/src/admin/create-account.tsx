/** Creates an account, with live credits if any are entered, and opens what comes next. */
import { NumberInput, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import { useRef } from 'react';
import { invalidate, post } from '../api/client.ts';
import { useApiForm } from '../components/api-form.ts';
import { Form, wholeNumber } from '../components/form.tsx';
import { Note } from '../components/text.tsx';

const creditsMax = 1_000_000_000;

export function CreateAccountForm(props: {
  /** Suggested, to make a first video with the model of the new routes. */
  readonly first?: { readonly credits: number; readonly model: string | undefined };
  onCancel?(): void;
}) {
  const { first, onCancel } = props;
  const navigate = useNavigate();
  // A second attempt adds the credits to the same account.
  const created = useRef<Account | null>(null);
  const { form, submit } = useApiForm({
    initialValues: { name: '', amount: (first?.credits ?? '') as number | '' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
    async send({ name, amount }) {
      created.current ??= await post<Account>('/admin/accounts', { name: name.trim() });
      const { id } = created.current;
      const hasCredits = Number(amount) > 0;
      if (hasCredits) {
        const credits = { amount: Number(amount), mode: 'live', note: 'First credits' };
        await post(`/admin/accounts/${id}/credits`, { ...credits, reference: 'Account opening' });
      }
      await invalidate('/admin/accounts');
      await (hasCredits
        ? navigate({
            to: '/accounts/$account/playground',
            params: { account: id },
            search: { mode: 'live', ...(first?.model ? { model: first.model } : {}) },
          })
        : navigate({ to: '/operator/accounts/$id', params: { id } }));
    },
  });
  return (
    <Form
      submit={submit}
      action={first ? 'Create and open playground' : 'Create account'}
      errorTitle="Couldn’t create the account"
      {...(onCancel ? { onCancel, cancel: 'Done' } : {})}
    >
      {first ? (
        <Note>
          Routes are saved. The demo account always returns previews: create an account with credits
          and make the first real video in its playground.
        </Note>
      ) : null}
      <TextInput
        data-autofocus
        label="Name"
        placeholder="A customer, team or project"
        maxLength={200}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <NumberInput
        label="Live credits"
        description="You can add more at any time."
        placeholder="None"
        min={0}
        max={creditsMax}
        {...wholeNumber}
        {...form.getInputProps('amount')}
      />
    </Form>
  );
}
