/** Two-factor authentication on the profile page: its state, and what can be done about it. */
import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { RecoveryCodesResponse, SecurityResponse } from '@vidgen/contract/sign-in.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { SectionCard } from '../components/section-card.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { CodeDialog } from './code-dialog.tsx';
import { EnrollDialog } from './enroll-dialog.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

const fewCodes = 3;

type OpenDialog = 'enroll' | 'disable' | 'codes' | null;

export function SecondFactor({ security }: { readonly security: SecurityResponse }): ReactNode {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const { second_factor: factor, has_password: hasPassword } = security;
  return (
    <SectionCard
      title="Two-factor authentication"
      badge={<Badge color={factor ? 'green' : 'gray'}>{factor ? 'On' : 'Off'}</Badge>}
    >
      <Stack gap="md" align="flex-start">
        {factor ? (
          <EnabledState factor={factor} onOpen={setDialog} />
        ) : (
          <>
            <Text fz="sm">
              {hasPassword
                ? 'Protect your password with a code from an app on your phone.'
                : 'You sign in without a password here, so there’s nothing to protect with a code.'}
            </Text>
            <Button disabled={!hasPassword} onClick={() => setDialog('enroll')}>
              Set up
            </Button>
          </>
        )}
      </Stack>
      <EnrollDialog opened={dialog === 'enroll'} onClose={() => setDialog(null)} />
      <DisableDialog opened={dialog === 'disable'} onClose={() => setDialog(null)} />
      <NewCodesDialog opened={dialog === 'codes'} onClose={() => setDialog(null)} />
    </SectionCard>
  );
}

function EnabledState({
  factor,
  onOpen,
}: {
  readonly factor: NonNullable<SecurityResponse['second_factor']>;
  onOpen(dialog: OpenDialog): void;
}): ReactNode {
  const left = factor.recovery_codes_left;
  return (
    <>
      <Text fz="sm">
        You enter a code from your app when you sign in with your password. Turned on{' '}
        <Timestamp at={factor.enabled_at} />.
      </Text>
      <Text fz="sm" {...(left < fewCodes ? { c: 'red' } : {})}>
        {left === 1 ? '1 recovery code' : `${left} recovery codes`} left
        {left < fewCodes ? '. Create new ones soon.' : ''}
      </Text>
      <Group gap="xs">
        <Button variant="default" onClick={() => onOpen('codes')}>
          New recovery codes
        </Button>
        <Button variant="default" c="red" onClick={() => onOpen('disable')}>
          Turn off
        </Button>
      </Group>
    </>
  );
}

type DialogProps = { readonly opened: boolean; onClose(): void };

const refresh = () => queryClient.invalidateQueries({ queryKey: keys.security });

function DisableDialog(props: DialogProps): ReactNode {
  return (
    <CodeDialog
      {...props}
      title="Turn off two-factor authentication?"
      description="Your password alone will sign you in, and your recovery codes stop working."
      action="Turn off"
      errorTitle="Couldn’t turn it off"
      run={async (code) => {
        await post('/session/second-factor/disable', { code });
        toast('Two-factor authentication is off');
        await refresh();
      }}
    />
  );
}

function NewCodesDialog({ opened, onClose }: DialogProps): ReactNode {
  const { person } = useSession();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setCodes(null);
  return (
    <>
      <CodeDialog
        opened={opened}
        onClose={onClose}
        title="Create new recovery codes"
        description="The recovery codes you have now stop working."
        action="Create codes"
        errorTitle="Couldn’t create codes"
        run={async (code) => {
          const path = '/session/second-factor/recovery-codes';
          setCodes((await post<RecoveryCodesResponse>(path, { code })).codes);
          await refresh();
        }}
      />
      <Modal
        opened={codes !== null}
        onClose={close}
        title="New recovery codes"
        closeOnClickOutside={false}
      >
        <RecoveryCodes codes={codes ?? []} email={person.email} onDone={close} />
      </Modal>
    </>
  );
}
