/** Turns on two-factor authentication: scan, enter a code, save the recovery codes. */
import {
  Alert,
  Anchor,
  Button,
  Center,
  Code,
  Group,
  Modal,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { EnrollmentResponse, RecoveryCodesResponse } from '@vidgen/contract/sign-in.ts';
import { useState } from 'react';
import { encode } from 'uqr';
import { invalidate, post } from '../api/client.ts';
import { saveFile } from '../api/files.ts';
import { useSession } from '../api/session.ts';
import { useAsyncAction } from '../components/action.ts';
import { CopyButton } from '../components/code.tsx';
import { Form } from '../components/form.tsx';
import { CardSkeleton, ErrorNotice } from '../components/states.tsx';
import { SmallNote } from '../components/text.tsx';
import { CodeInput } from './second-step.tsx';

export function EnrollDialog(props: { readonly opened: boolean; onClose(): void }) {
  const { opened, onClose } = props;
  const { person } = useSession();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => {
    setCodes(null);
    onClose();
    void invalidate('/session/security');
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

function EnrollForm({ onEnabled }: { onEnabled(codes: readonly string[]): void }) {
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
    <Form
      submit={submit}
      action="Turn on"
      errorTitle="Couldn’t turn it on"
      isDisabled={code.trim().length < 6}
    >
      <Text fz="sm">
        Scan this QR code with an authenticator app, such as 1Password, Google Authenticator or
        Authy.
      </Text>
      <Center>
        <QrCode text={data.url} label="QR code for your authenticator app" />
      </Center>
      <div>
        <SmallNote mb={4}>
          Can’t scan it?{' '}
          <Anchor href={data.url} fz="inherit">
            Open your app
          </Anchor>{' '}
          on this device, or enter this key:
        </SmallNote>
        <Group gap={4} wrap="nowrap">
          <Text span ff="monospace" fz="sm" title={data.secret}>
            {data.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
          </Text>
          <CopyButton value={data.secret} label="setup key" />
        </Group>
      </div>
      <CodeInput kind="app" label="Code from the app" value={code} onChange={setCode} />
    </Form>
  );
}

const quietZone = 4;

/** A QR code, drawn as one path: black on white in both themes, as scanners expect. */
function QrCode(props: { readonly text: string; readonly label: string }) {
  const { text, label } = props;
  const { data, size } = encode(text, { ecc: 'M', border: quietZone });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={200}
      height={200}
      shapeRendering="crispEdges"
      style={{ borderRadius: 8, display: 'block' }}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** New recovery codes, shown once: to copy or to download. */
export function RecoveryCodes(props: {
  readonly codes: readonly string[];
  readonly email: string;
  onDone(): void;
}) {
  const { codes, email, onDone } = props;
  const download = () => {
    const lines = [`vidgen recovery codes for ${email}`, location.host, '', ...codes, ''];
    saveFile(new Blob([lines.join('\n')], { type: 'text/plain' }), 'vidgen-recovery-codes.txt');
  };
  return (
    <Stack gap="md">
      <Alert color="yellow" title="Save your recovery codes">
        If you lose your phone, these codes are the only way to sign in yourself. Each works once.
        You won’t see them again.
      </Alert>
      <SimpleGrid cols={2} spacing="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {codes.map((code) => (
          <Code key={code} component="li" fz="sm" ta="center" py={6}>
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Group gap="xs">
          <CopyButton value={codes.join('\n')} label="recovery codes" text="Copy" />
          <Button
            variant="default"
            size="xs"
            leftSection={<DownloadIcon aria-hidden />}
            onClick={download}
          >
            Download
          </Button>
        </Group>
        <Button onClick={onDone}>I’ve saved them</Button>
      </Group>
    </Stack>
  );
}
