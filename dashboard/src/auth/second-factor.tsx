/** Two-factor authentication on the profile page: its state, and what can be done about it. */
import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import type {
  RecoveryCodesResponse,
  SecurityResponse,
  StartedOpenIdResponse,
} from '@vidgen/contract/sign-in.ts';
import { useState } from 'react';
import { invalidate, post } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { toast, useAsyncAction } from '../components/action.ts';
import { Form } from '../components/form.tsx';
import { SectionCard } from '../components/page.tsx';
import { ActionButton } from '../components/setting-card.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { Timestamp } from '../components/text.tsx';
import { capitalize } from '../components/value-labels.ts';
import { EnrollDialog, RecoveryCodes } from './enroll-dialog.tsx';
import { openIdMessage } from './openid-result.ts';
import { CodeInput } from './second-step.tsx';

const fewCodes = 3;

type OpenDialog = 'enroll' | 'disable' | 'codes' | null;

export function SecondFactor({ security }: { readonly security: SecurityResponse }) {
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
      <CodeDialog
        opened={dialog === 'disable'}
        onClose={() => setDialog(null)}
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
      <NewCodesDialog opened={dialog === 'codes'} onClose={() => setDialog(null)} />
    </SectionCard>
  );
}

function EnabledState(props: {
  readonly factor: NonNullable<SecurityResponse['second_factor']>;
  onOpen(dialog: OpenDialog): void;
}) {
  const { factor, onOpen } = props;
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

const refresh = () => invalidate('/session/security');

function NewCodesDialog(props: { readonly opened: boolean; onClose(): void }) {
  const { opened, onClose } = props;
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

type CodeDialogProps = {
  readonly opened: boolean;
  onClose(): void;
  readonly title: string;
  /** Says what the action does. */
  readonly description: string;
  /** The label of the button. */
  readonly action: string;
  readonly errorTitle: string;
  run(code: string): Promise<void>;
};

/** Asks for a code of the second factor before an action. */
function CodeDialog(props: CodeDialogProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <CodeForm {...props} />
    </Modal>
  );
}

/** Rendered inside the modal, so that its state is reset each time the modal opens. */
function CodeForm({ description, action, errorTitle, run, onClose }: CodeDialogProps) {
  const [code, setCode] = useState('');
  const submit = useAsyncAction(async () => {
    await run(code.trim());
    onClose();
  });
  return (
    <Form
      submit={submit}
      action={action}
      errorTitle={errorTitle}
      isDisabled={code.trim().length < 6}
    >
      <Text fz="sm">{description}</Text>
      <CodeInput kind="any" value={code} onChange={setCode} />
    </Form>
  );
}

async function goToProvider(request: { readonly code?: string }): Promise<void> {
  const { url } = await post<StartedOpenIdResponse>('/session/identity', request);
  location.assign(url);
}

/** The link to the OpenID provider on the profile page. */
export function LinkedSignIn({ security }: { readonly security: SecurityResponse }) {
  const { problem } = useSearch({ from: '/signed-in/profile' });
  const { openid } = security;
  if (!openid) return null;
  const { name, identity } = openid;
  const message = openIdMessage(problem, name);
  return (
    <SectionCard
      title={capitalize(name)}
      badge={
        <Badge color={identity ? 'green' : 'gray'}>{identity ? 'Linked' : 'Not linked'}</Badge>
      }
    >
      <Stack gap="md" align="flex-start">
        {message === null ? null : <ErrorNotice error={new Error(message)} title="Couldn’t link" />}
        {identity ? (
          <Text fz="sm">
            You sign in with {name}
            {identity.email === null ? '' : ` as ${identity.email}`}. Linked{' '}
            <Timestamp at={identity.linked_at} />. Only an administrator can unlink it.
          </Text>
        ) : (
          <>
            <Text fz="sm">Link {name} to sign in there. Your password won’t work any more.</Text>
            <LinkButton name={name} needsCode={security.second_factor !== null} />
          </>
        )}
      </Stack>
    </SectionCard>
  );
}

/** With a second factor the code is asked for first: the linked login will need none. */
function LinkButton(props: { readonly name: string; readonly needsCode: boolean }) {
  const { name, needsCode } = props;
  const [isAsking, setAsking] = useState(false);
  const start = async () => {
    if (needsCode) setAsking(true);
    else await goToProvider({});
  };
  return (
    <>
      <ActionButton label={`Link ${name}`} size="sm" errorTitle="Couldn’t link" run={start} />
      <CodeDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Link ${name}`}
        description={`Signing in with ${name} doesn’t ask for a code, so enter one now.`}
        action="Continue"
        errorTitle="Couldn’t link"
        run={(code) => goToProvider({ code })}
      />
    </>
  );
}
