/** The form of a new API key. */
import { Checkbox, Select, Stack, TextInput } from '@mantine/core';
import type { CreatedApiKey } from '@vidgen/contract/admin-accounts.ts';
import { type Permission, permissions } from '@vidgen/contract/models.ts';
import { post } from '../api/client.ts';
import { useAccount } from '../api/session.ts';
import { useApiForm } from '../components/api-form.ts';
import { Form } from '../components/form.tsx';
import {
  type CapValues,
  noCap,
  SpendingCapFields,
  toSpendingCap,
  validateCap,
} from './spending-cap.tsx';

type KeyFormValues = CapValues & {
  readonly name: string;
  readonly permissions: Permission[];
  readonly days: string;
};

const permissionDescriptions: Readonly<Record<Permission, string>> = {
  'videos:create': 'Create videos (spends credits)',
  'tasks:read': 'Read tasks, models and balance',
  'tasks:cancel': 'Cancel tasks',
  'tasks:delete': 'Delete tasks',
};
const expiryOptions = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

export function KeyForm(props: { onClose(): void; onCreated(key: CreatedApiKey): void }) {
  const { id, mode } = useAccount();
  const { form, submit } = useApiForm<KeyFormValues>({
    initialValues: { name: '', permissions: [...permissions], days: '', ...noCap },
    validate: {
      name: (name) =>
        name.trim() === '' ? 'Enter a name, such as the app that will use it' : null,
      permissions: (chosen) => (chosen.length === 0 ? 'Select at least one permission' : null),
      capCredits: validateCap,
    },
    async send({ name, permissions: chosen, days, ...capValues }) {
      const cap = toSpendingCap(capValues);
      const expires = days === '' ? {} : { expires_at: daysFromNow(Number(days)) };
      const body = {
        name: name.trim(),
        mode,
        permissions: chosen,
        ...expires,
        ...(cap ? { spend_cap: cap } : {}),
      };
      props.onCreated(await post<CreatedApiKey>(`/admin/accounts/${id}/keys`, body));
    },
  });
  return (
    <Form
      submit={submit}
      action="Create key"
      errorTitle="Couldn’t create the key"
      onCancel={props.onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        description="Helps you recognize the key later."
        autoComplete="off"
        maxLength={200}
        {...form.getInputProps('name')}
      />
      <Checkbox.Group label="Permissions" {...form.getInputProps('permissions')}>
        <Stack gap={8} mt="xs">
          {permissions.map((one) => (
            <Checkbox key={one} value={one} label={permissionDescriptions[one]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        label="Expires"
        data={expiryOptions}
        comboboxProps={{ withinPortal: true }}
        {...form.getInputProps('days')}
      />
      <SpendingCapFields form={form} />
    </Form>
  );
}

const daysFromNow = (days: number): number => Math.floor(Date.now() / 1000) + days * 86_400;
