/** Asks the person to prove again who they are, before sensitive actions. */
import { Modal, PasswordInput, Text } from '@mantine/core';
import type { SessionResponse } from '@vidgen/contract/people.ts';
import type { StartedOpenIdResponse } from '@vidgen/contract/sign-in.ts';
import { useEffect, useState } from 'react';
import { type ConfirmMethod, invalidate, post, queryClient } from '../api/client.ts';
import { sessionQuery, useSession } from '../api/session.ts';
import { confirmations, type OpenIdResult, useSignInMethods } from '../auth/openid-result.ts';
import { useAsyncAction } from '../components/action.ts';
import { Form } from '../components/form.tsx';
import { ErrorNotice } from '../components/states.tsx';

type Props = {
  readonly opened: boolean;
  readonly method: ConfirmMethod;
  settle(confirmed: boolean): void;
};

export function ConfirmSession(props: Props) {
  const { opened, method, settle } = props;
  const title = method === 'password' ? 'Confirm your password' : 'Confirm it’s you';
  return (
    <Modal opened={opened} onClose={() => settle(false)} title={title} zIndex={400}>
      {method === 'password' ? (
        <ConfirmPasswordForm {...props} />
      ) : (
        <ConfirmAtProvider {...props} />
      )}
    </Modal>
  );
}

/** Rendered inside the modal, so that its state is reset each time the modal opens. */
function ConfirmPasswordForm({ settle }: Props) {
  const { person } = useSession();
  const [password, setPassword] = useState('');
  const submit = useAsyncAction(async () => {
    const session = await post<SessionResponse>('/session/confirm', { password });
    queryClient.setQueryData(sessionQuery.queryKey, session);
    settle(true);
  });

  return (
    <Form
      submit={submit}
      action="Confirm"
      errorTitle="Not confirmed"
      isDisabled={password === ''}
      onCancel={() => settle(false)}
    >
      <Text fz="sm">
        For your security, confirm your password to continue. Signed in as <b>{person.email}</b>.
      </Text>
      <input type="hidden" name="username" autoComplete="username" value={person.email} readOnly />
      <PasswordInput
        data-autofocus
        label="Password"
        autoComplete="current-password"
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
    </Form>
  );
}

/** The provider opens in a window of its own, so that what was entered on this page stays. */
function ConfirmAtProvider({ settle }: Props) {
  const { person } = useSession();
  const name = useSignInMethods()?.openid?.name ?? 'single sign-on';
  const [problem, setProblem] = useState<string | null>(null);
  const start = useAsyncAction(async () => {
    setProblem(null);
    // Opened before the request: browsers block windows that no click has opened.
    const popup = window.open('', '_blank', 'popup,width=520,height=680');
    try {
      const { url } = await post<StartedOpenIdResponse>('/session/confirm/openid', {});
      if (popup) popup.location.href = url;
      else setProblem('Allow pop-ups for this site, then try again.');
    } catch (error) {
      popup?.close();
      throw error;
    }
  });
  useEffect(() => {
    const channel = new BroadcastChannel(confirmations);
    channel.onmessage = ({ data }: MessageEvent<OpenIdResult>) => {
      if (data.problem !== null) return setProblem(data.problem);
      void invalidate('/session');
      settle(true);
    };
    return () => channel.close();
  });

  return (
    <Form
      submit={start}
      action={`Continue with ${name}`}
      errorTitle="Couldn’t open the sign-in"
      onCancel={() => settle(false)}
    >
      <Text fz="sm">
        For your security, sign in to {name} again to continue. Signed in as <b>{person.email}</b>.
      </Text>
      {problem ? <ErrorNotice error={new Error(problem)} title="Not confirmed" /> : null}
    </Form>
  );
}
