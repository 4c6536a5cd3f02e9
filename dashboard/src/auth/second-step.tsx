/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
import { Button, TextInput } from '@mantine/core';
import type { SessionResponse } from '@vidgen/contract/people.ts';
import type { SecondStepResponse } from '@vidgen/contract/sign-in.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { Form } from '../components/forms.tsx';
import { useAsyncAction } from '../components/use-async-action.ts';
import { AuthLayout } from './auth-layout.tsx';

/** What the first step returns: a session, or that a code is missing. */
export type FirstStepResponse = SessionResponse | SecondStepResponse;

export const needsSecondStep = (response: FirstStepResponse): response is SecondStepResponse =>
  'second_step' in response;

export function SecondStep({
  onSignedIn,
  onCancel,
}: {
  onSignedIn(session: SessionResponse): Promise<void>;
  onCancel(): void;
}): ReactNode {
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

export function CodeInput({
  kind,
  label,
  value,
  onChange,
}: {
  readonly kind: CodeKind;
  readonly label?: string;
  readonly value: string;
  onChange(value: string): void;
}): ReactNode {
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
