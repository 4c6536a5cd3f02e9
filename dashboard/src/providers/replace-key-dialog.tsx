/** Replaces the API key of a connected provider. */
import { Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { SubmitRow } from '../components/submit-row.tsx';
import { toast } from '../components/toast.ts';
import { useAsyncAction } from '../components/use-async-action.ts';
import { refetchProviders } from './provider-queries.ts';

export function ReplaceKeyDialog({
  name,
  onClose,
}: {
  /** Null: closed. */
  readonly name: string | null;
  onClose(): void;
}): ReactNode {
  return (
    <Modal opened={name !== null} onClose={onClose} title={`Replace the key of ${name ?? ''}`}>
      {name === null ? null : <ReplaceKeyForm name={name} onClose={onClose} />}
    </Modal>
  );
}

function ReplaceKeyForm({ name, onClose }: { readonly name: string; onClose(): void }): ReactNode {
  const [apiKey, setApiKey] = useState('');
  const submit = useAsyncAction(async () => {
    await post(`/admin/providers/${name}/key`, { api_key: apiKey.trim() });
    await refetchProviders();
    toast('Key replaced');
    onClose();
  });
  return (
    <form onSubmit={submit.run}>
      <Stack gap="md">
        <Text fz="sm">New tasks use the new key. Running tasks finish with the previous one.</Text>
        <PasswordInput
          label="API key"
          required
          data-autofocus
          autoComplete="off"
          value={apiKey}
          onChange={({ currentTarget: { value } }) => setApiKey(value)}
        />
        <SubmitRow
          error={submit.error}
          errorTitle="Couldn’t replace the key"
          isPending={submit.isPending}
          isDisabled={apiKey.trim() === ''}
        >
          Replace key
        </SubmitRow>
      </Stack>
    </form>
  );
}
