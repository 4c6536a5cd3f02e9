/** A link for a new password: it is set, every old session ends, and the person is signed in. */
import { Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { LinkAnswer, SessionAnswer } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { placeRefusal, toFirstBad } from '../components/form-errors.ts';
import { useEnter } from './entering.ts';
import { FrontPage } from './front-page.tsx';
import { passwordCharactersMin, WithLink } from './link-form.tsx';

export function ResetPage(): ReactNode {
  return <WithLink>{(link, token) => <NewPassword link={link} token={token} />}</WithLink>;
}

function NewPassword({
  link,
  token,
}: {
  readonly link: LinkAnswer;
  readonly token: string;
}): ReactNode {
  const enter = useEnter();
  const [error, setError] = useState<Error | null>(null);
  const form = useForm({
    initialValues: { password: '' },
    validate: {
      password: (password) =>
        password.length >= passwordCharactersMin
          ? null
          : `Must have at least ${passwordCharactersMin} characters`,
    },
  });
  const submit = form.onSubmit(async ({ password }) => {
    setError(null);
    try {
      await enter(await post<SessionAnswer>('/links/use', { token, password }));
    } catch (trouble) {
      setError(placeRefusal(form, trouble, ['password']));
    }
  }, toFirstBad(form));
  return (
    <FrontPage
      title="A new password"
      about={
        <>
          For <b>{link.email}</b>. You will be signed out everywhere else.
        </>
      }
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <input type="hidden" autoComplete="username" value={link.email ?? ''} readOnly />
          <PasswordInput
            label="New password"
            description={`At least ${passwordCharactersMin} characters of whatever kind`}
            autoComplete="new-password"
            autoFocus
            {...form.getInputProps('password')}
          />
          {error ? <ErrorNotice error={error} what="The password is still the old one" /> : null}
          <Button type="submit" loading={form.submitting} fullWidth>
            Set password and sign in
          </Button>
        </Stack>
      </form>
    </FrontPage>
  );
}
