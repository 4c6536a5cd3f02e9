/** The optional email address of an invitation; nothing where the installation sends no email. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../api/session.ts';

export function InviteEmailInput(props: {
  readonly value: string;
  onChange(value: string): void;
}): ReactNode {
  if (!useSession().sends_mail) return null;
  return (
    <TextInput
      data-autofocus
      type="email"
      label="Email"
      description="Leave empty to get a link that you share yourself."
      autoComplete="off"
      value={props.value}
      onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
    />
  );
}
