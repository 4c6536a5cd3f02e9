/** How notices and email leave the installation: the mail server and the webhook for notices. */
import { Alert, Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { NoticeSettings, TestMailResponse } from '@vidgen/contract/notices.ts';
import { useState } from 'react';
import { invalidate, polled, post, queryClient } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { Code, Copyable } from '../components/code.tsx';
import { DescriptionList, Page, SectionCard } from '../components/page.tsx';
import { ActionButton, DialogButton } from '../components/setting-card.tsx';
import { Loaded } from '../components/states.tsx';
import { formatNumber, Note, SmallNote } from '../components/text.tsx';
import { WebhookUrlForm } from '../webhooks/webhook-endpoint.tsx';
import { webhookErrorText } from '../webhooks/webhook-error-text.ts';

const settingsQuery = polled<NoticeSettings>('/admin/notice-settings', 15_000);

export function NoticeSettingsPage() {
  const query = useQuery(settingsQuery);
  return (
    <Page
      title="Notice settings"
      description="Besides the dashboard, notices can go out by email and to a webhook."
    >
      <Loaded query={query} what="the settings" height={200}>
        {(settings) => (
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <MailCard settings={settings} />
            <WebhookCard settings={settings} />
          </SimpleGrid>
        )}
      </Loaded>
    </Page>
  );
}

const mailSample = `VIDGEN_SMTP_URL=smtps://user:password@mail.example.com
VIDGEN_MAIL_FROM="Your studio <no-reply@example.com>"`;

function MailCard({ settings }: { readonly settings: NoticeSettings }) {
  const sendTest = async () => {
    const { recipient } = await post<TestMailResponse>('/admin/notice-settings/test-mail');
    toast(`Test email on its way to ${recipient}`);
    await invalidate('/admin/notice-settings');
  };
  const { mail_from: from, last_mail_error: lastError } = settings;
  if (from === null) {
    return (
      <SectionCard title="Email" badge={<ChannelBadge isOn={false} lastError={null} />}>
        <Note mb="sm">
          Invites and password links are only shown in the dashboard. To email them and notices, set
          your mail server and restart:
        </Note>
        <Code code={mailSample} language="bash" label="settings" wrap />
      </SectionCard>
    );
  }
  return (
    <SectionCard
      title="Email"
      badge={<ChannelBadge isOn lastError={lastError} />}
      actions={
        <ActionButton
          label="Send test email"
          errorTitle="Couldn’t send the test email"
          run={sendTest}
        />
      }
    >
      <Stack gap="xs">
        <DescriptionList
          items={[['From', from], ...countItems(settings.mails_waiting, settings.mails_failed)]}
        />
        <LastError error={lastError} />
      </Stack>
    </SectionCard>
  );
}

function WebhookCard({ settings }: { readonly settings: NoticeSettings }) {
  const { webhook_url: url, webhook_url_source: source } = settings;
  const lastError = webhookErrorOf(settings);
  return (
    <SectionCard
      title="Webhook"
      badge={<ChannelBadge isOn={url !== null} lastError={lastError} />}
      actions={
        source === 'environment' ? null : (
          <DialogButton
            label={url === null ? 'Set webhook' : 'Change webhook'}
            title="Webhook for notices"
            button={{ variant: 'default', size: 'xs' }}
          >
            {(close) => (
              <WebhookUrlForm
                thing="webhook"
                field="webhook_url"
                url={url}
                save={async (chosen) => {
                  const body = { webhook_url: chosen };
                  const saved = await post<NoticeSettings>('/admin/notice-settings', body);
                  queryClient.setQueryData(settingsQuery.queryKey, saved);
                }}
                onDone={close}
              >
                Receives every notice of this installation, as JSON.
              </WebhookUrlForm>
            )}
          </DialogButton>
        )
      }
    >
      {url === null ? (
        <Note>
          Set a webhook to get every notice in a chat, a pager or a system of your own. Its requests
          are signed.
        </Note>
      ) : (
        <Stack gap="xs">
          <DescriptionList
            items={[
              ['URL', <Copyable key="url" value={url} label="webhook URL" />],
              ['Signing secret', <Secret key="secret" value={settings.webhook_secret} />],
              ...countItems(settings.webhooks_waiting, settings.webhooks_failed),
            ]}
          />
          {source === 'environment' ? (
            <SmallNote>Set by VIDGEN_NOTICE_WEBHOOK_URL. Change it there and restart.</SmallNote>
          ) : null}
          <LastError error={lastError} />
        </Stack>
      )}
    </SectionCard>
  );
}

/** The service has `HTTP 500` for a response, and a code where there was none. */
function webhookErrorOf({ last_webhook_error: error, webhook_url: url }: NoticeSettings) {
  if (error === null || error.startsWith('HTTP ')) return error;
  return webhookErrorText(error, url ?? 'the webhook');
}

function ChannelBadge(props: { readonly isOn: boolean; readonly lastError: string | null }) {
  if (!props.isOn) return <Badge color="gray">Off</Badge>;
  if (props.lastError !== null) return <Badge color="yellow">Failing</Badge>;
  return <Badge color="green">On</Badge>;
}

function Secret({ value }: { readonly value: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      {isShown ? <Copyable value={value} label="signing secret" /> : 'whsec_••••••••'}
      <Button variant="default" size="compact-xs" flex="none" onClick={() => setShown(!isShown)}>
        {isShown ? 'Hide secret' : 'Show secret'}
      </Button>
    </Group>
  );
}

const countItems = (waiting: number, failed: number) =>
  [
    ['Waiting to be sent', formatNumber(waiting)],
    ['Failed in the last 30 days', formatNumber(failed)],
  ] as const;

function LastError({ error }: { readonly error: string | null }) {
  if (error === null) return null;
  return (
    <Alert color="yellow" title="Last error">
      <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
        {error}
      </Text>
    </Alert>
  );
}
