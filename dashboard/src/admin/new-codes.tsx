/** Creates a batch of redemption codes and shows them once, to copy or to download as CSV. */
import {
  Alert,
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { CreatedCodes } from '@vidgen/contract/top-ups.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { Code } from '../components/code.tsx';
import { SubmitRow } from '../components/submit-row.tsx';
import { useApiForm } from '../components/use-api-form.ts';

type CodesFormValues = {
  readonly amount: number | '';
  readonly count: number | '';
  readonly mode: KeyMode;
  readonly note: string;
  readonly days: string;
};

const expiryOptions = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

export function NewCodes({ onCreated, onDone }: { onCreated(): void; onDone(): void }): ReactNode {
  const [created, setCreated] = useState<CreatedCodes | null>(null);
  const { form, error, onSubmit } = useApiForm<CodesFormValues>({
    initialValues: { amount: '', count: 1, mode: 'live', note: '', days: '' },
    validate: {
      amount: (amount) => (Number(amount) >= 1 ? null : 'Enter 1 or more'),
      count: (count) => (Number(count) >= 1 && Number(count) <= 1000 ? null : 'Enter 1 to 1,000'),
      note: (note) => (note.trim() === '' ? 'Enter a note. It shows in the credit history.' : null),
    },
    async send({ amount, count, mode, note, days }) {
      const now = Math.floor(Date.now() / 1000);
      const expiry = days === '' ? {} : { expires_at: now + Number(days) * 86_400 };
      const body = { amount: Number(amount), count: Number(count), mode, note: note.trim() };
      setCreated(await post<CreatedCodes>('/admin/redemption-codes', { ...body, ...expiry }));
      onCreated();
    },
  });
  if (created) return <CreatedCodesPanel codes={created} onDone={onDone} />;
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Group grow align="flex-start">
          <NumberInput
            data-autofocus
            label="Credits per code"
            min={1}
            allowDecimal={false}
            thousandSeparator=","
            {...form.getInputProps('amount')}
          />
          <NumberInput
            label="Number of codes"
            min={1}
            max={1000}
            allowDecimal={false}
            {...form.getInputProps('count')}
          />
        </Group>
        <TextInput label="Note" maxLength={1000} {...form.getInputProps('note')} />
        <Group grow align="flex-end">
          <Select
            label="Expires"
            data={expiryOptions}
            allowDeselect={false}
            {...form.getInputProps('days')}
          />
          <SegmentedControl
            aria-label="Balance"
            data={[
              { value: 'live', label: 'Live' },
              { value: 'test', label: 'Test' },
            ]}
            {...form.getInputProps('mode')}
          />
        </Group>
        <SubmitRow error={error} errorTitle="Couldn’t create codes" isPending={form.submitting}>
          Create codes
        </SubmitRow>
      </Stack>
    </form>
  );
}

function CreatedCodesPanel({
  codes,
  onDone,
}: {
  readonly codes: CreatedCodes;
  onDone(): void;
}): ReactNode {
  const list = codes.items.map(({ code }) => code).join('\n');
  return (
    <Stack gap="md">
      <Alert color="yellow">Save these codes now. You won’t see them again.</Alert>
      <Code code={list} language="bash" label="codes" maxHeight={320} />
      <Group justify="space-between">
        <Button
          variant="default"
          component="a"
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(codes))}`}
          download="redemption-codes.csv"
          leftSection={<DownloadIcon aria-hidden />}
        >
          Download CSV
        </Button>
        <Button onClick={onDone}>I’ve saved them</Button>
      </Group>
    </Stack>
  );
}

const csvOf = ({ items }: CreatedCodes): string =>
  [
    'code,credits,mode',
    ...items.map(({ code, amount, mode }) => `${code},${amount},${mode}`),
    '',
  ].join('\r\n');
