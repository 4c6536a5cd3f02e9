/** The limits of one account with their use, and the dialog that changes them. */
import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AccountLimits, LimitsUse } from '@vidgen/contract/account-controls.ts';
import type { Account, Retention } from '@vidgen/contract/admin-accounts.ts';
import type { AuditLogEntry, ListAuditLogResponse } from '@vidgen/contract/admin-audit.ts';
import { type ReactNode, useState } from 'react';
import { get, post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.tsx';
import { TextLink } from '../components/links.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { CardSkeleton } from '../components/skeletons.tsx';
import { SubmitRow } from '../components/submit-row.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';
import { UseMeter } from '../components/use-meter.tsx';
import { actionLabel, summaryOf } from './audit-entry.ts';

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
      const body: AccountLimits = {
        running_tasks: toLimit(values.running_tasks),
        creates_per_minute: toLimit(values.creates_per_minute),
      };
      await post(`/admin/accounts/${account.id}/limits`, body);
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

const fields: readonly (readonly [name: keyof Retention, label: string, daysMin: 0 | 1])[] = [
  ['prompts_days', 'Prompts and inputs', 0],
  ['deliveries_days', 'Webhook bodies', 0],
  ['tasks_days', 'Tasks', 0],
  ['files_days', 'Results', 1],
];

/** Sets how long an account's data is kept. An empty field follows the installation. */
export function RetentionForm({ account }: { readonly account: Account }): ReactNode {
  const [days, setDays] = useState<Retention>(account.retention);
  const [isConfirming, setConfirming] = useState(false);
  const save = async () => {
    await post(`/admin/accounts/${account.id}/retention`, days);
    toast('Retention updated');
    await queryClient.invalidateQueries({ queryKey: keys.account(account.id) });
  };
  const isChanged = fields.some(([name]) => days[name] !== account.retention[name]);
  return (
    <SectionCard title="Retention">
      <Text fz="sm" c="dimmed">
        Data is deleted after this many days. Leave empty for the server default. 0 means never.
      </Text>
      <Group align="flex-end" gap="sm" mt="xs">
        {fields.map(([name, label, daysMin]) => (
          <NumberInput
            key={name}
            label={label}
            placeholder="Default"
            min={daysMin}
            max={3650}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="strict"
            w={150}
            value={days[name] ?? ''}
            onChange={(value) => setDays({ ...days, [name]: value === '' ? null : Number(value) })}
          />
        ))}
        <Button disabled={!isChanged} onClick={() => setConfirming(true)}>
          Save retention
        </Button>
      </Group>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Change retention?"
        action="Change retention"
        run={save}
      >
        Older data is deleted within minutes. This can’t be undone. Credit history and usage are
        kept.
      </ConfirmDialog>
    </SectionCard>
  );
}

const entriesMax = 5;

/** The newest audit log entries about one account. */
export function RecentAuditLog({ account }: { readonly account: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: keys.accountPart(account, 'audit-log'),
    queryFn: () =>
      get<ListAuditLogResponse>('/admin/audit-log', { account_id: account, limit: entriesMax }),
  });
  if (error) {
    return (
      <ErrorNotice error={error} title="Couldn’t load the audit log" retry={() => void refetch()} />
    );
  }
  if (data === undefined) return <CardSkeleton h={240} />;
  return (
    <SectionCard
      title="Audit log"
      actions={
        <TextLink to="/operator/audit-log" search={{ account }} fz="sm">
          View all
        </TextLink>
      }
    >
      <PlainTable
        label="Recent activity"
        minWidth={420}
        columns={[{ title: 'Action' }, { title: 'Actor' }, { title: 'Date' }]}
        rows={data.items.map((entry) => ({
          id: entry.id,
          cells: [
            <ActionCell key="action" entry={entry} />,
            entry.actor,
            <Timestamp key="at" at={entry.created_at} />,
          ],
        }))}
      />
    </SectionCard>
  );
}

function ActionCell({ entry }: { readonly entry: AuditLogEntry }): ReactNode {
  const summary = summaryOf(entry);
  return (
    <>
      {actionLabel(entry.action)}
      {summary === '' ? null : (
        <Text fz="xs" c="dimmed" lineClamp={1} title={summary} style={{ wordBreak: 'break-all' }}>
          {summary}
        </Text>
      )}
    </>
  );
}
