/** Shows and sets below which live balance the account gets a notice. */
import { NumberInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { BalanceAlert as BalanceAlertResponse } from '@vidgen/contract/notices.ts';
import { invalidate, patch, resource } from '../api/client.ts';
import { useAccount, useSession } from '../api/session.ts';
import { toast } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { Form, wholeNumber } from '../components/form.tsx';
import { SettingCard } from '../components/setting-card.tsx';
import { formatNumber, Note } from '../components/text.tsx';

const thresholdMax = 1_000_000_000;

export function BalanceAlert({ canEdit }: { readonly canEdit: boolean }) {
  const path = `/admin/accounts/${useAccount().id}/balance-alert`;
  const { data } = useQuery(resource<BalanceAlertResponse>(path));
  const threshold = data?.threshold ?? null;
  const value = threshold === null ? 'Off' : `Below ${formatNumber(threshold)} live credits`;
  return (
    <SettingCard
      title="Low balance alert"
      value={<Note>{value}</Note>}
      action={canEdit ? (threshold === null ? 'Set alert' : 'Change alert') : null}
      isDisabled={!data}
      dialogTitle="Low balance alert"
    >
      {(close) => <AlertForm threshold={threshold} onDone={close} />}
    </SettingCard>
  );
}

function AlertForm(props: { readonly threshold: number | null; onDone(): void }) {
  const { threshold, onDone } = props;
  const { id } = useAccount();
  const { sends_mail: sendsMail } = useSession();
  const { form, submit } = useApiForm({
    initialValues: { threshold: (threshold ?? '') as number | string },
    async send(values) {
      const chosen = values.threshold === '' ? null : Number(values.threshold);
      await patch(`/admin/accounts/${id}`, { low_balance: chosen });
      await invalidate(`/admin/accounts/${id}/balance-alert`);
      toast(chosen === null ? 'Alert turned off' : 'Alert saved');
      onDone();
    },
  });
  return (
    <Form submit={submit} action="Save alert" errorTitle="Couldn’t save the alert">
      <Text fz="sm">
        {sendsMail
          ? 'Owners get an email and a notice when the live balance falls below this amount.'
          : 'Members get a notice each time the live balance falls below this amount.'}
      </Text>
      <NumberInput
        data-autofocus
        label="Live credits"
        description="Leave empty to turn the alert off."
        min={1}
        max={thresholdMax}
        {...wholeNumber}
        {...form.getInputProps('threshold')}
      />
    </Form>
  );
}
