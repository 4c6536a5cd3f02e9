/** One's own name, as the others of an account see it. */
import { Box, Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { SessionResponse } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { applyServerErrors, focusFirstInvalid } from '../components/form-errors.ts';
import { toast } from '../components/toast.ts';

const nameCharactersMax = 200;

export function NameForm(): ReactNode {
  const { person } = useSession();
  const [error, setError] = useState<Error | null>(null);
  const form = useForm({
    initialValues: { name: person.name },
    validate: { name: (value) => (value.trim() === '' ? 'Is required' : null) },
  });
  const submit = form.onSubmit(async ({ name }) => {
    setError(null);
    try {
      const session = await post<SessionResponse>('/session/name', { name: name.trim() });
      queryClient.setQueryData(keys.session, session);
      form.setValues({ name: session.person.name });
      toast('Your name is changed');
    } catch (cause) {
      setError(applyServerErrors(form, cause, ['name']));
    }
  }, focusFirstInvalid(form));
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="Name"
        description="How the people of your accounts see you"
        autoComplete="name"
        maxLength={nameCharactersMax}
        inputContainer={(input) => (
          <Group gap="xs" wrap="nowrap">
            <Box flex={1}>{input}</Box>
            <Button
              type="submit"
              variant="default"
              loading={form.submitting}
              disabled={form.values.name.trim() === person.name}
            >
              Save
            </Button>
          </Group>
        )}
        {...form.getInputProps('name')}
      />
      {error ? <ErrorNotice error={error} title="The name is still the old one" /> : null}
    </form>
  );
}
