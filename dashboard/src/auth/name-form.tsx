/** Changes the person's own name. */
import { Box, Button, Group, TextInput } from '@mantine/core';
import type { SessionResponse } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';

const nameCharactersMax = 200;

export function NameForm(): ReactNode {
  const { person } = useSession();
  const { form, error, onSubmit } = useApiForm({
    initialValues: { name: person.name },
    validate: { name: (value) => (value.trim() === '' ? 'Enter your name' : null) },
    async send({ name }) {
      const session = await post<SessionResponse>('/session/name', { name: name.trim() });
      queryClient.setQueryData(keys.session, session);
      form.setValues({ name: session.person.name });
      toast('Name updated');
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <TextInput
        label="Name"
        description="Shown to other members"
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
      {error ? <ErrorNotice error={error} title="Couldn’t update your name" /> : null}
    </form>
  );
}
