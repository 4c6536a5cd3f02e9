/** Sets or removes the URL of a webhook. */
import { Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { SubmitRow } from '../components/submit-row.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';

export function WebhookUrlForm(props: {
  /** What the form calls it. */
  readonly thing: 'endpoint' | 'webhook';
  /** The field of the request, which errors of the service name. */
  readonly field: string;
  readonly url: string | null;
  /** Says what it receives. */
  readonly children: string;
  save(url: string | null): Promise<void>;
  onDone(): void;
}): ReactNode {
  const { thing, field, url, children, save, onDone } = props;
  const name = thing === 'endpoint' ? 'Endpoint' : 'Webhook';
  const { form, error, onSubmit } = useApiForm<Record<string, string>>({
    initialValues: { [field]: url ?? '' },
    async send(values) {
      const chosen = values[field]?.trim() || null;
      await save(chosen);
      toast(chosen === null ? `${name} removed` : `${name} saved`);
      onDone();
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Text fz="sm">{children}</Text>
        <TextInput
          data-autofocus
          type="url"
          label={`${name} URL`}
          description={`Leave empty to remove the ${thing}.`}
          placeholder="https://example.com/hook"
          {...form.getInputProps(field)}
        />
        <SubmitRow
          error={error}
          errorTitle={`Couldn’t save the ${thing}`}
          isPending={form.submitting}
        >
          Save {thing}
        </SubmitRow>
      </Stack>
    </form>
  );
}
