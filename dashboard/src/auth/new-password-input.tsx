/** The input for a new password, with the minimum length that the service requires. */
import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** The same number as in the contract, whose schemas must not be in the bundle. */
const charactersMin = 12;

export const passwordProblem = (password: string): string | null =>
  password.length >= charactersMin ? null : `Use at least ${charactersMin} characters`;

export function NewPasswordInput(props: PasswordInputProps): ReactNode {
  return (
    <PasswordInput
      label="New password"
      description={`At least ${charactersMin} characters`}
      autoComplete="new-password"
      {...props}
    />
  );
}
