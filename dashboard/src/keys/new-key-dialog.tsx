/** Makes a key and shows it, once: it cannot be dismissed by a stray click before it is stored. */
import { Button, Checkbox, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { MintedKey } from '@vidgen/contract/admin-accounts.ts';
import { type KeyMode, type Permission, permissions } from '@vidgen/contract/models.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { placeRefusal, toFirstBad } from '../components/form-errors.ts';
import { ShownKey } from './shown-key.tsx';

type Props = {
  readonly opened: boolean;
  onClose(): void;
  readonly account: string;
  readonly mode: KeyMode;
  onMade(): void;
};

export function NewKeyDialog(props: Props): ReactNode {
  const [made, setMade] = useState<MintedKey | null>(null);
  const close = () => {
    setMade(null);
    props.onClose();
  };
  return (
    <Modal
      opened={props.opened}
      onClose={close}
      title={made ? 'Store this key now' : `New ${props.mode} key`}
      size="lg"
      closeOnClickOutside={made === null}
      closeOnEscape={made === null}
      withCloseButton={made === null}
    >
      {made ? (
        <ShownKey apiKey={made} onDone={close} />
      ) : (
        <KeyForm
          {...props}
          onMade={(key) => {
            setMade(key);
            props.onMade();
          }}
        />
      )}
    </Modal>
  );
}

type Wanted = { readonly name: string; readonly permissions: Permission[]; readonly days: string };

const may: Readonly<Record<Permission, string>> = {
  'videos:create': 'Create videos, which spends credits',
  'tasks:read': 'Read tasks, models and the balance',
  'tasks:cancel': 'Cancel tasks',
};
const lives = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

function KeyForm(props: {
  readonly account: string;
  readonly mode: KeyMode;
  onClose(): void;
  onMade(key: MintedKey): void;
}): ReactNode {
  const { account, mode, onClose, onMade } = props;
  const [error, setError] = useState<Error | null>(null);
  const form = useForm<Wanted>({
    initialValues: { name: '', permissions: [...permissions], days: '' },
    validate: {
      name: (name) => (name.trim() === '' ? 'Give it a name, such as the program it is for' : null),
      permissions: (chosen) => (chosen.length === 0 ? 'Choose at least one' : null),
    },
  });
  const make = async ({ name, permissions: chosen, days }: Wanted) => {
    setError(null);
    const expires = days === '' ? {} : { expires_at: inDays(Number(days)) };
    const wanted = { name: name.trim(), mode, permissions: chosen, ...expires };
    try {
      onMade(await post<MintedKey>(`/admin/accounts/${account}/keys`, wanted));
    } catch (trouble) {
      setError(placeRefusal(form, trouble, ['name', 'permissions']));
    }
  };
  return (
    <form onSubmit={form.onSubmit(make, toFirstBad(form))} noValidate>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Name"
          description="Shown in lists and in usage."
          autoComplete="off"
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <Checkbox.Group label="What it may do" {...form.getInputProps('permissions')}>
          <Stack gap={8} mt="xs">
            {permissions.map((one) => (
              <Checkbox key={one} value={one} label={may[one]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Select
          label="Ends"
          data={lives}
          allowDeselect={false}
          comboboxProps={{ withinPortal: true }}
          {...form.getInputProps('days')}
        />
        {error ? <ErrorNotice error={error} what="The key was not made" /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            Make key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const inDays = (days: number): number => Math.floor(Date.now() / 1000) + days * 86_400;
