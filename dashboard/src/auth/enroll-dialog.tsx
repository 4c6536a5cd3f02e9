/** Turns on two-factor authentication: scan, enter a code, save the recovery codes. */
import { Anchor, Center, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { EnrollmentResponse, RecoveryCodesResponse } from '@vidgen/contract/sign-in.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { CardSkeleton } from '../components/skeletons.tsx';
import { SubmitRow } from '../components/submit-row.tsx';
import { useAsyncAction } from '../components/use-async-action.ts';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { CodeInput } from './second-step.tsx';

export function EnrollDialog({
  opened,
  onClose,
}: {
  readonly opened: boolean;
  onClose(): void;
}): ReactNode {
  const { person } = useSession();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => {
    setCodes(null);
    onClose();
    void queryClient.invalidateQueries({ queryKey: keys.security });
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={
        codes === null ? 'Set up two-factor authentication' : 'Two-factor authentication is on'
      }
      // A click beside it must not lose codes that are shown once.
      closeOnClickOutside={codes === null}
    >
      {codes === null ? (
        <EnrollForm onEnabled={setCodes} />
      ) : (
        <RecoveryCodes codes={codes} email={person.email} onDone={close} />
      )}
    </Modal>
  );
}

function EnrollForm({ onEnabled }: { onEnabled(codes: readonly string[]): void }): ReactNode {
  const [code, setCode] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: ['enrollment'],
    queryFn: () => post<EnrollmentResponse>('/session/second-factor', {}),
    // A refetch would replace the secret that was just scanned.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
  const submit = useAsyncAction(async () => {
    const path = '/session/second-factor/enable';
    const { codes } = await post<RecoveryCodesResponse>(path, { code: code.trim() });
    onEnabled(codes);
  });
  if (error) return <ErrorNotice error={error} title="Couldn’t start the setup" retry={refetch} />;
  if (!data) return <CardSkeleton h={320} />;
  return (
    <form onSubmit={submit.run}>
      <Stack gap="md">
        <Text fz="sm">
          Scan this QR code with an authenticator app, such as 1Password, Google Authenticator or
          Authy.
        </Text>
        <Center>
          <QrCode text={data.url} label="QR code for your authenticator app" />
        </Center>
        <div>
          <Text fz="xs" c="dimmed" mb={4}>
            Can’t scan it?{' '}
            <Anchor href={data.url} fz="inherit">
              Open your app
            </Anchor>{' '}
            on this device, or enter this key:
          </Text>
          <Group gap={4} wrap="nowrap">
            <Text span ff="monospace" fz="sm" title={data.secret}>
              {data.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
            </Text>
            <CopyButton value={data.secret} label="setup key" />
          </Group>
        </div>
        <CodeInput kind="app" label="Code from the app" value={code} onChange={setCode} />
        <SubmitRow
          error={submit.error}
          errorTitle="Couldn’t turn it on"
          isPending={submit.isPending}
          isDisabled={code.trim().length < 6}
        >
          Turn on
        </SubmitRow>
      </Stack>
    </form>
  );
}
