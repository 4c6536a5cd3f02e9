/** How notices and email leave the installation: the mail server and the webhook for notices. */
import { Alert, Button, Card, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { NoticeSettings, TestMailResponse } from '@vidgen/contract/notices.ts';
import { type ReactNode, useState } from 'react';
import { get, post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { Copyable } from '../components/copyable.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { SubmitRow } from '../components/submit-row.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';
import { webhookErrorText } from '../webhooks/webhook-error-text.ts';

const settingsKey = keys.adminPart('notice-settings');
const refetchMs = 5_000;

export function NoticeSettingsPage(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: settingsKey,
    queryFn: () => get<NoticeSettings>('/admin/notice-settings'),
    refetchInterval: refetchMs,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Notice settings"
        description="How vidgen tells people about low balances, refunds, providers and webhooks."
      />
      {error ? (
        <ErrorNotice error={error} title="Couldn’t load the settings" retry={refetch} />
      ) : null}
      {data ? (
        <>
          <MailCard settings={data} />
          <WebhookCard settings={data} />
        </>
      ) : (
        <Skeleton h={160} />
      )}
    </Stack>
  );
}

function MailCard({ settings }: { readonly settings: NoticeSettings }): ReactNode {
  const sendTest = useMutation({
    mutationFn: () => post<TestMailResponse>('/admin/notice-settings/test-mail'),
    onSuccess: ({ recipient }) => {
      toast(`Test email on its way to ${recipient}`);
      void queryClient.invalidateQueries({ queryKey: settingsKey });
    },
  });
  if (settings.mail_from === null) {
    return (
      <SectionCard title="Email">
        <Text fz="sm" c="dimmed">
          Email isn’t set up. Invites and password links are only shown in the dashboard. To send
          them, set VIDGEN_SMTP_URL and VIDGEN_MAIL_FROM and restart.
        </Text>
      </SectionCard>
    );
  }
  return (
    <SectionCard
      title="Email"
      actions={
        <Button
          variant="default"
          size="xs"
          loading={sendTest.isPending}
          onClick={() => sendTest.mutate()}
        >
          Send test email
        </Button>
      }
    >
      <Stack gap="xs">
        <Text fz="sm">
          Sent from <b>{settings.mail_from}</b>
        </Text>
        <Counts waiting={settings.mails_waiting} failed={settings.mails_failed} />
        <LastError error={settings.last_mail_error} />
        {sendTest.error ? (
          <ErrorNotice error={sendTest.error} title="Couldn’t send the test email" />
        ) : null}
      </Stack>
    </SectionCard>
  );
}

function WebhookCard({ settings }: { readonly settings: NoticeSettings }): ReactNode {
  const [isEditing, setEditing] = useState(false);
  const [isShown, setShown] = useState(false);
  const { webhook_url: url, webhook_url_source: source, webhook_secret: secret } = settings;
  const isFixed = source === 'environment';
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" mb="xs">
        <Text component="h2" fz="md" fw={600}>
          Webhook
        </Text>
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide secret' : 'Show secret'}
          </Button>
          {isFixed ? null : (
            <Button variant="default" size="xs" onClick={() => setEditing(true)}>
              {url === null ? 'Set webhook' : 'Change webhook'}
            </Button>
          )}
        </Group>
      </Group>
      <Stack gap="xs">
        {url === null ? (
          <Text fz="sm" c="dimmed">
            Not set. A webhook gets every notice, signed with its own secret.
          </Text>
        ) : (
          <Copyable value={url} label="webhook URL" />
        )}
        {isFixed ? (
          <Text fz="xs" c="dimmed">
            Set by VIDGEN_NOTICE_WEBHOOK_URL.
          </Text>
        ) : null}
        {isShown ? <Copyable value={secret} label="signing secret" /> : null}
        {url === null ? null : (
          <Counts waiting={settings.webhooks_waiting} failed={settings.webhooks_failed} />
        )}
        <LastError error={webhookErrorOf(settings)} />
      </Stack>
      <Modal opened={isEditing} onClose={() => setEditing(false)} title="Webhook for notices">
        <WebhookForm url={url} onDone={() => setEditing(false)} />
      </Modal>
    </Card>
  );
}

/** The service has `HTTP 500` for a response, and a code where there was none. */
function webhookErrorOf({ last_webhook_error: error, webhook_url: url }: NoticeSettings) {
  if (error === null || error.startsWith('HTTP ')) return error;
  return webhookErrorText(error, url ?? 'the webhook');
}

function Counts({ waiting, failed }: { readonly waiting: number; readonly failed: number }) {
  return (
    <Text fz="sm" c="dimmed">
      {waiting} waiting · {failed} failed in the last 30 days
    </Text>
  );
}

function LastError({ error }: { readonly error: string | null }): ReactNode {
  if (error === null) return null;
  return (
    <Alert color="yellow" variant="light" title="Last error">
      <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
        {error}
      </Text>
    </Alert>
  );
}

function WebhookForm({ url, onDone }: { readonly url: string | null; onDone(): void }): ReactNode {
  const { form, error, onSubmit } = useApiForm({
    initialValues: { webhook_url: url ?? '' },
    async send(values) {
      const chosen = values.webhook_url.trim();
      const body = { webhook_url: chosen === '' ? null : chosen };
      queryClient.setQueryData(
        settingsKey,
        await post<NoticeSettings>('/admin/notice-settings', body),
      );
      toast(chosen === '' ? 'Webhook removed' : 'Webhook saved');
      onDone();
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <TextInput
          data-autofocus
          type="url"
          label="Webhook URL"
          description="Gets every notice. Leave empty to remove the webhook."
          placeholder="https://example.com/notices"
          {...form.getInputProps('webhook_url')}
        />
        <SubmitRow error={error} errorTitle="Couldn’t save the webhook" isPending={form.submitting}>
          Save webhook
        </SubmitRow>
      </Stack>
    </form>
  );
}
