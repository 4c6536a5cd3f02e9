/** Shows and changes the URL that receives webhooks of tasks created without a callback_url. */
import { Button, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { invalidate, post } from '../api/client.ts';
import { useAccount } from '../api/session.ts';
import { toast, useAsyncAction } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { Copyable } from '../components/code.tsx';
import { Form } from '../components/form.tsx';
import { SettingCard } from '../components/setting-card.tsx';
import { Note } from '../components/text.tsx';

export function WebhookEndpoint() {
  const { id, account, hasRole } = useAccount();
  const url = account?.webhook_url ?? null;
  const action = url === null ? 'Set endpoint' : 'Change endpoint';
  return (
    <SettingCard
      title="Default endpoint"
      value={
        url === null ? (
          <Note>Not set. Only tasks with a callback_url send webhooks.</Note>
        ) : (
          <Copyable value={url} label="endpoint URL" />
        )
      }
      action={hasRole('developer') ? action : null}
      dialogTitle="Default endpoint"
    >
      {(close) => (
        <WebhookUrlForm
          thing="endpoint"
          field="url"
          url={url}
          save={async (chosen) => {
            await post(`/admin/accounts/${id}/webhook-url`, { url: chosen });
            await invalidate(`/admin/accounts/${id}`);
          }}
          onDone={close}
        >
          Receives webhooks for tasks created without a callback_url, from any key or the
          playground. Existing tasks aren’t affected.
        </WebhookUrlForm>
      )}
    </SettingCard>
  );
}

/** Shows and rotates the secret that webhooks are signed with. */
export function SigningSecret() {
  const { account, hasRole } = useAccount();
  const [isShown, setShown] = useState(false);
  const secret = account?.webhook_secret ?? null;
  const canSee = hasRole('developer');
  return (
    <SettingCard
      title="Signing secret"
      value={
        secret !== null && isShown ? (
          <Copyable value={secret} label="signing secret" />
        ) : (
          <Note>{canSee ? 'whsec_••••••••••••••••' : 'Visible to developers and owners'}</Note>
        )
      }
      actions={
        canSee ? (
          <Button variant="default" size="xs" onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
          </Button>
        ) : null
      }
      action={canSee ? 'Rotate secret' : null}
      dialogTitle="Rotate signing secret"
    >
      {(close) => (
        <RotateSecretForm
          onDone={() => {
            close();
            setShown(true);
          }}
        />
      )}
    </SettingCard>
  );
}

const keepOptions = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 24 hours' },
  { value: '604800', label: 'In 7 days' },
];

function RotateSecretForm({ onDone }: { onDone(): void }) {
  const { id: account } = useAccount();
  const [keepSeconds, setKeepSeconds] = useState('86400');
  const rotate = useAsyncAction(async () => {
    const body = { keep_previous_seconds: Number(keepSeconds) };
    await post(`/admin/accounts/${account}/webhook-secret`, body);
    await invalidate(`/admin/accounts/${account}`);
    toast('Signing secret rotated');
    onDone();
  });
  return (
    <Form submit={rotate} action="Rotate secret" errorTitle="Couldn’t rotate the secret">
      <Text fz="sm">
        Until the old secret expires, webhooks are signed with both, so you can update your endpoint
        without downtime.
      </Text>
      <Select
        data-autofocus
        label="Expire the old secret"
        data={keepOptions}
        value={keepSeconds}
        onChange={(chosen) => setKeepSeconds(chosen ?? keepSeconds)}
      />
    </Form>
  );
}

/** Sets or removes the URL of a webhook. */
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
}) {
  const { thing, field, url, children, save, onDone } = props;
  const name = thing === 'endpoint' ? 'Endpoint' : 'Webhook';
  const { form, submit } = useApiForm<Record<string, string>>({
    initialValues: { [field]: url ?? '' },
    async send(values) {
      const chosen = values[field]?.trim() || null;
      await save(chosen);
      toast(chosen === null ? `${name} removed` : `${name} saved`);
      onDone();
    },
  });
  return (
    <Form submit={submit} action={`Save ${thing}`} errorTitle={`Couldn’t save the ${thing}`}>
      <Text fz="sm">{children}</Text>
      <TextInput
        data-autofocus
        type="url"
        label={`${name} URL`}
        description={`Leave empty to remove the ${thing}.`}
        placeholder="https://example.com/hook"
        {...form.getInputProps(field)}
      />
    </Form>
  );
}
