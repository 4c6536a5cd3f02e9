/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
import { Button, PasswordInput, type PasswordInputProps, TextInput } from '@mantine/core';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { SessionResponse } from '@vidgen/contract/people.ts';
import type { SecondStepResponse } from '@vidgen/contract/sign-in.ts';
import { useState } from 'react';
import { dashboardPath } from '../api/base-path.ts';
import { clearPersonalData, post, queryClient } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { useAsyncAction } from '../components/action.ts';
import { Form } from '../components/form.tsx';
import { AuthLayout } from './auth-layout.tsx';

/** What the first step returns: a session, or that a code is missing. */
export type FirstStepResponse = SessionResponse | SecondStepResponse;

export const needsSecondStep = (response: FirstStepResponse): response is SecondStepResponse =>
  'second_step' in response;

export function SecondStep(props: {
  onSignedIn(session: SessionResponse): Promise<void>;
  onCancel(): void;
}) {
  const { onSignedIn, onCancel } = props;
  const [usesRecoveryCode, setUsesRecoveryCode] = useState(false);
  const [code, setCode] = useState('');
  const submit = useAsyncAction(async () => {
    await onSignedIn(await post<SessionResponse>('/session/code', { code: code.trim() }));
  });
  const switchKind = () => {
    setUsesRecoveryCode(!usesRecoveryCode);
    setCode('');
  };
  return (
    <AuthLayout
      title="Two-factor authentication"
      description={
        usesRecoveryCode
          ? 'Enter one of the recovery codes you saved. Each works once.'
          : 'Enter the 6-digit code from your authenticator app.'
      }
    >
      <Form
        submit={submit}
        action="Verify"
        errorTitle="Couldn’t sign in"
        isDisabled={code.trim().length < 6}
        isWide
        footer={
          <>
            <Button variant="subtle" size="xs" onClick={switchKind}>
              {usesRecoveryCode ? 'Use your authenticator app' : 'Use a recovery code'}
            </Button>
            <Button variant="subtle" size="xs" color="gray" onClick={onCancel}>
              Cancel
            </Button>
          </>
        }
      >
        <CodeInput
          key={String(usesRecoveryCode)}
          kind={usesRecoveryCode ? 'recovery' : 'app'}
          value={code}
          onChange={setCode}
        />
      </Form>
    </AuthLayout>
  );
}

/** What a field takes: codes of the app, recovery codes, or both. */
type CodeKind = 'app' | 'recovery' | 'any';

const fieldsByKind = {
  app: { label: 'Code', placeholder: '123456', inputMode: 'numeric' },
  recovery: { label: 'Recovery code', placeholder: 'xxxxx-xxxxx', inputMode: 'text' },
  any: { label: 'Code from your app, or a recovery code', inputMode: 'text' },
} as const;

export function CodeInput(props: {
  readonly kind: CodeKind;
  readonly label?: string;
  readonly value: string;
  onChange(value: string): void;
}) {
  const { kind, label, value, onChange } = props;
  const field = fieldsByKind[kind];
  return (
    <TextInput
      {...field}
      label={label ?? field.label}
      data-autofocus
      autoFocus
      autoComplete={kind === 'app' ? 'one-time-code' : 'off'}
      autoCapitalize="off"
      spellCheck={false}
      maxLength={20}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    />
  );
}

/** The same number as in the contract, whose schemas must not be in the bundle. */
const charactersMin = 12;

export const passwordProblem = (password: string): string | null =>
  password.length >= charactersMin ? null : `Use at least ${charactersMin} characters`;

export const NewPasswordInput = (props: PasswordInputProps) => (
  <PasswordInput
    label="New password"
    description={`At least ${charactersMin} characters`}
    autoComplete="new-password"
    {...props}
  />
);

/** `to` is the path and search, below the dashboard, of the page that required the session. */
export function useCompleteSignIn(): (session: SessionResponse, to?: string) => Promise<void> {
  const navigate = useNavigate();
  const router = useRouter();
  return async (session, to) => {
    // Data of a person who was signed in before must not be shown to the next one.
    clearPersonalData();
    queryClient.setQueryData(sessionQuery.queryKey, session);
    if (to === undefined) await navigate({ to: '/', replace: true });
    else router.history.replace(`${dashboardPath}${to}`);
  };
}

/** Returns the token of a one-time link. It is in the fragment, which browsers never send. */
export const linkToken = (): string => location.hash.slice(1);
