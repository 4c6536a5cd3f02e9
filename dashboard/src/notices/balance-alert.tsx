/** Shows and sets below which live balance the account gets a notice. */
import { Button, Card, Group, Modal, NumberInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { BalanceAlert as BalanceAlertResponse } from '@vidgen/contract/notices.ts';
import { type ReactNode, useState } from 'react';
import { get, patch } from '../api/client.ts';
import { invalidate, keys } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { Form } from '../components/form.tsx';
import { Credits } from '../components/format.tsx';
import { Label, Note } from '../components/texts.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';

const thresholdMax = 1_000_000_000;

export function BalanceAlert(props: {
  readonly accountId: string;
  readonly canEdit: boolean;
}): ReactNode {
  const { accountId, canEdit } = props;
  const [isEditing, setEditing] = useState(false);
  const { data } = useQuery({
    queryKey: keys.accountPart(accountId, 'balance-alert'),
    queryFn: () => get<BalanceAlertResponse>(`/admin/accounts/${accountId}/balance-alert`),
  });
  const threshold = data?.threshold ?? null;
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" gap="sm">
        <div>
          <Label>Low balance alert</Label>
          <Note>
            {threshold === null ? (
              'Off'
            ) : (
              <>
                Below <Credits amount={threshold} /> live credits
              </>
            )}
          </Note>
        </div>
        {canEdit ? (
          <Button variant="default" size="xs" disabled={!data} onClick={() => setEditing(true)}>
            {threshold === null ? 'Set alert' : 'Change alert'}
          </Button>
        ) : null}
      </Group>
      <Modal opened={isEditing} onClose={() => setEditing(false)} title="Low balance alert">
        <AlertForm accountId={accountId} threshold={threshold} onDone={() => setEditing(false)} />
      </Modal>
    </Card>
  );
}

function AlertForm(props: {
  readonly accountId: string;
  readonly threshold: number | null;
  onDone(): void;
}): ReactNode {
  const { accountId, threshold, onDone } = props;
  const { sends_mail: sendsMail } = useSession();
  const { form, submit } = useApiForm({
    initialValues: { threshold: (threshold ?? '') as number | string },
    async send(values) {
      const chosen = values.threshold === '' ? null : Number(values.threshold);
      await patch(`/admin/accounts/${accountId}`, { low_balance: chosen });
      await invalidate(keys.accountPart(accountId, 'balance-alert'));
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
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        {...form.getInputProps('threshold')}
      />
    </Form>
  );
}
