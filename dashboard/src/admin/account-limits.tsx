/** The limits of one account with their use, and the dialog that changes them. */
import { Button, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AccountLimits, LimitsUse } from '@vidgen/contract/account-controls.ts';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { get, patch } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { CardSkeleton } from '../components/skeletons.tsx';
import { SubmitRow } from '../components/submit-row.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';
import { UseMeter } from '../components/use-meter.tsx';

const refetchMs = 5_000;

export function AccountLimitsCard({
  account,
  onEdit,
}: {
  readonly account: Account;
  onEdit(): void;
}): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: keys.accountPart(account.id, 'limits'),
    queryFn: () => get<LimitsUse>(`/admin/accounts/${account.id}/limits`),
    refetchInterval: refetchMs,
  });
  if (error) {
    return (
      <ErrorNotice error={error} title="Couldn’t load the limits" retry={() => void refetch()} />
    );
  }
  if (data === undefined) return <CardSkeleton h={180} />;
  const { creates_per_minute: creates, running_tasks: running } = data;
  const isOpen = account.closed_at === null;
  return (
    <SectionCard
      title="Limits"
      actions={
        isOpen ? (
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
          own={account.limits.running_tasks}
        />
        <LimitUse
          label="Running test tasks"
          used={running.test}
          limit={running.limit}
          own={account.limits.running_tasks}
        />
        <LimitUse
          label="Create requests in the last minute"
          used={creates.used ?? 0}
          limit={creates.limit}
          own={account.limits.creates_per_minute}
        />
      </Stack>
    </SectionCard>
  );
}

function LimitUse(props: {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  /** Of the account; null if the server default applies. */
  readonly own: number | null;
}): ReactNode {
  const { label, used, limit, own } = props;
  const note = own === null ? 'Server default' : undefined;
  if (limit > 0) return <UseMeter label={label} used={used} limit={limit} note={note} />;
  return (
    <div>
      <Text fz="sm">{label}</Text>
      <Text fz="xs" c="dimmed">
        {formatNumber(used)} · No limit{note ? ` (${note.toLowerCase()})` : ''}
      </Text>
    </div>
  );
}

export function LimitsDialog(props: {
  readonly account: Account;
  readonly opened: boolean;
  onClose(): void;
}): ReactNode {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Edit limits">
      <LimitsForm account={props.account} onDone={props.onClose} />
    </Modal>
  );
}

type LimitsValues = { readonly [name in keyof AccountLimits]: number | '' };

function LimitsForm({ account, onDone }: { readonly account: Account; onDone(): void }): ReactNode {
  const { creates_per_minute, running_tasks } = account.limits;
  const { form, error, onSubmit } = useApiForm<LimitsValues>({
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
      await queryClient.invalidateQueries({ queryKey: keys.account(account.id) });
      onDone();
    },
  });
  const field = { min: 0, max: 1_000_000, allowDecimal: false, allowNegative: false } as const;
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Text fz="sm" c="dimmed">
          Requests above a limit are rejected with 429. Leave empty for the server default. 0 means
          no limit.
        </Text>
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
        <SubmitRow error={error} errorTitle="Couldn’t save the limits" isPending={form.submitting}>
          Save limits
        </SubmitRow>
      </Stack>
    </form>
  );
}
