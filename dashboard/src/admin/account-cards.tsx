/** The limits of one account with their use, and the dialog that changes them. */
import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AccountLimits, LimitsUse } from '@vidgen/contract/account-controls.ts';
import type { Account, Retention } from '@vidgen/contract/admin-accounts.ts';
import { useState } from 'react';
import { invalidate, patch, polled, post } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { ConfirmButton } from '../components/confirm-dialog.tsx';
import { Form, wholeNumber } from '../components/form.tsx';
import { SectionCard, UseMeter } from '../components/page.tsx';
import { Loaded } from '../components/states.tsx';
import { formatNumber, Note, SmallNote } from '../components/text.tsx';

const refetchMs = 15_000;

/** The form of a dialog about an account. */
export type AccountFormProps = { readonly account: Account; onDone(): void };

export function AccountLimitsCard(props: { readonly account: Account; onEdit(): void }) {
  const { account, onEdit } = props;
  const query = useQuery(polled<LimitsUse>(`/admin/accounts/${account.id}/limits`, refetchMs));
  const { running_tasks: ownRunning, creates_per_minute: ownCreates } = account.limits;
  return (
    <Loaded query={query} what="the limits" height={180}>
      {({ creates_per_minute: creates, running_tasks: running }) => (
        <SectionCard
          title="Limits"
          actions={
            account.closed_at === null ? (
              <Button variant="default" size="xs" onClick={onEdit}>
                Edit limits
              </Button>
            ) : null
          }
        >
          <Stack gap="md">
            <LimitUse
              label="Running live tasks"
              used={running.live}
              limit={running.limit}
              own={ownRunning}
            />
            <LimitUse
              label="Running test tasks"
              used={running.test}
              limit={running.limit}
              own={ownRunning}
            />
            <LimitUse
              label="Create requests in the last minute"
              used={creates.used ?? 0}
              limit={creates.limit}
              own={ownCreates}
            />
          </Stack>
        </SectionCard>
      )}
    </Loaded>
  );
}

function LimitUse(props: {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  /** The account's own limit; null if the server default applies. */
  readonly own: number | null;
}) {
  const { label, used, limit, own } = props;
  const note = own === null ? 'Server default' : undefined;
  if (limit > 0) return <UseMeter label={label} used={used} limit={limit} note={note} />;
  return (
    <div>
      <Text fz="sm">{label}</Text>
      <SmallNote>
        {formatNumber(used)} · No limit{note ? ` (${note.toLowerCase()})` : ''}
      </SmallNote>
    </div>
  );
}

type LimitsValues = { readonly [name in keyof AccountLimits]: number | '' };

export function LimitsForm({ account, onDone }: AccountFormProps) {
  const { creates_per_minute, running_tasks } = account.limits;
  const { form, submit } = useApiForm<LimitsValues>({
    initialValues: {
      running_tasks: running_tasks ?? '',
      creates_per_minute: creates_per_minute ?? '',
    },
    async send(values) {
      const toLimit = (value: number | '') => (value === '' ? null : Number(value));
      await patch(`/admin/accounts/${account.id}`, {
        running_max: toLimit(values.running_tasks),
        creates_per_minute: toLimit(values.creates_per_minute),
      });
      toast('Limits updated');
      await invalidate(`/admin/accounts/${account.id}`);
      onDone();
    },
  });
  const field = { ...wholeNumber, min: 0, max: 1_000_000 };
  return (
    <Form submit={submit} action="Save limits" errorTitle="Couldn’t save the limits">
      <Note>
        Requests above a limit are rejected with 429. Leave empty for the server default. 0 means no
        limit.
      </Note>
      <NumberInput
        data-autofocus
        label="Running tasks"
        description="At once, over all keys. Live and test count separately."
        placeholder="Server default"
        {...field}
        {...form.getInputProps('running_tasks')}
      />
      <NumberInput
        label="Create requests per minute"
        description="Over all keys. The limit of each key still applies."
        placeholder="Server default"
        {...field}
        {...form.getInputProps('creates_per_minute')}
      />
    </Form>
  );
}

const fields: readonly (readonly [name: keyof Retention, label: string, daysMin: 0 | 1])[] = [
  ['prompts_days', 'Prompts and inputs', 0],
  ['deliveries_days', 'Webhook bodies', 0],
  ['tasks_days', 'Tasks', 0],
  ['files_days', 'Results', 1],
];

/** For members, who read it. */
export const retentionText = (retention: Retention): string =>
  fields
    .map(([name, label]) => {
      const days = retention[name];
      return `${label}: ${days === null ? 'server default' : days === 0 ? 'kept' : `${days} days`}`;
    })
    .join(' · ');

/** Sets how long an account's data is kept. An empty field follows the installation. */
export function RetentionForm({ account }: { readonly account: Account }) {
  const [days, setDays] = useState<Retention>(account.retention);
  const save = async () => {
    await post(`/admin/accounts/${account.id}/retention`, days);
    toast('Retention updated');
    await invalidate(`/admin/accounts/${account.id}`);
  };
  const isChanged = fields.some(([name]) => days[name] !== account.retention[name]);
  return (
    <SectionCard title="Retention">
      <Note>
        Data is deleted after this many days. Leave empty for the server default. 0 means never.
      </Note>
      <Group align="flex-end" gap="sm" mt="xs">
        {fields.map(([name, label, daysMin]) => (
          <NumberInput
            key={name}
            label={label}
            placeholder="Default"
            min={daysMin}
            max={3650}
            {...wholeNumber}
            clampBehavior="strict"
            w={150}
            value={days[name] ?? ''}
            onChange={(value) => setDays({ ...days, [name]: value === '' ? null : Number(value) })}
          />
        ))}
        <ConfirmButton
          label="Save retention"
          button={{ size: 'sm', variant: 'filled', disabled: !isChanged }}
          title="Change retention?"
          action="Change retention"
          run={save}
        >
          Older data is deleted within minutes. This can’t be undone. Credit history and usage are
          kept.
        </ConfirmButton>
      </Group>
    </SectionCard>
  );
}
