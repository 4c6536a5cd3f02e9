/** The spending cap of an API key: its use in a table, and its fields in forms. */
import { Group, NumberInput, Progress, Select, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { SpendingCapRequest } from '@vidgen/contract/account-controls.ts';
import type { ApiKey } from '@vidgen/contract/admin-accounts.ts';
import type { SpendingPeriod } from '@vidgen/contract/models.ts';
import { post } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { Form, wholeNumber } from '../components/form.tsx';
import { meterOf } from '../components/page.tsx';
import { formatNumber, Note, Timestamp } from '../components/text.tsx';

const perPeriod: Readonly<Record<SpendingPeriod, string>> = {
  day: 'per day',
  month: 'per month',
  total: 'in total',
};

export function SpendingCapUse({ apiKey }: { readonly apiKey: ApiKey }) {
  const { spend_cap: cap } = apiKey;
  if (cap === null) return <Note>No cap</Note>;
  const figures = `${formatNumber(cap.used)} of ${formatNumber(cap.credits)}`;
  return (
    <Stack gap={3} miw={150}>
      <Text fz="sm" style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
        {figures} {perPeriod[cap.period]}
      </Text>
      <Progress
        size={4}
        {...meterOf({ used: cap.used, limit: cap.credits })}
        aria-label={`${apiKey.name} has used ${figures} credits ${perPeriod[cap.period]}`}
      />
      {cap.renews_at === null ? null : (
        <Text fz="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          Renews <Timestamp at={cap.renews_at} />
        </Text>
      )}
    </Stack>
  );
}

export type CapValues = {
  readonly capPeriod: SpendingPeriod | '';
  readonly capCredits: number | '';
};

export const noCap: CapValues = { capPeriod: '', capCredits: '' };

export const validateCap = (credits: number | '', { capPeriod }: CapValues): string | null =>
  capPeriod !== '' && credits === '' ? 'Enter the number of credits' : null;

export const toSpendingCap = (values: CapValues): SpendingCapRequest | null =>
  values.capPeriod === '' ? null : { credits: Number(values.capCredits), period: values.capPeriod };

const periodOptions = [
  { value: '', label: 'No cap' },
  { value: 'day', label: 'Per day' },
  { value: 'month', label: 'Per month' },
  { value: 'total', label: 'In total' },
];

export function SpendingCapFields<Values extends CapValues>(props: {
  readonly form: UseFormReturnType<Values>;
}) {
  const { form } = props;
  const { capPeriod } = form.values;
  return (
    <Group align="flex-start" gap="sm" grow>
      <Select
        label="Spending cap"
        description="Resets at 00:00 UTC."
        data={periodOptions}
        comboboxProps={{ withinPortal: true }}
        {...form.getInputProps('capPeriod')}
      />
      <NumberInput
        label="Credits"
        description="Refunds don’t count."
        min={0}
        {...wholeNumber}
        disabled={capPeriod === ''}
        {...form.getInputProps('capCredits')}
      />
    </Group>
  );
}

export function SpendingCapForm(props: {
  readonly apiKey: ApiKey;
  onClose(): void;
  onSaved(): Promise<void>;
}) {
  const { apiKey, onClose, onSaved } = props;
  const { spend_cap: cap } = apiKey;
  const { form, submit } = useApiForm<CapValues>({
    initialValues: cap ? { capPeriod: cap.period, capCredits: cap.credits } : noCap,
    validate: { capCredits: validateCap },
    async send(values) {
      const body = { spend_cap: toSpendingCap(values) };
      await post(`/admin/keys/${apiKey.id}/spending-cap`, body);
      toast(body.spend_cap ? 'Spending cap saved' : 'Spending cap removed');
      await onSaved();
      onClose();
    },
  });
  return (
    <Form submit={submit} action="Save cap" errorTitle="Couldn’t save the cap" onCancel={onClose}>
      <Note>
        When the cap is reached, new tasks with this key are rejected with 402. What the key has
        already used in the period counts.
      </Note>
      <SpendingCapFields form={form} />
    </Form>
  );
}
