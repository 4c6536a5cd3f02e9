/** The email address of a form that begins a sign-in or a password reset. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

export function EmailInput({
  value,
  onChange,
}: {
  readonly value: string;
  onChange(value: string): void;
}): ReactNode {
  return (
    <TextInput
      label="Email"
      type="email"
      name="email"
      autoComplete="username"
      required
      withAsterisk={false}
      autoFocus
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
