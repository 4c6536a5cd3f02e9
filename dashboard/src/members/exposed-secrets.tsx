/** Keys and the webhook secret that former members still know, each with a button to revoke it. */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ExposedSecret, ListExposedSecretsResponse } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { del, get, post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';

export function ExposedSecrets({ accountId }: { readonly accountId: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: keys.accountPart(accountId, 'exposed-secrets'),
    queryFn: () => get<ListExposedSecretsResponse>(`/admin/accounts/${accountId}/exposed-secrets`),
  });
  if (error) {
    return <ErrorNotice error={error} title="Couldn’t load exposed secrets" retry={refetch} />;
  }
  if (!data || data.items.length === 0) return null;
  return (
    <Stack gap="sm" mt="xl">
      <div>
        <Title order={2}>Exposed to former members</Title>
        <Text fz="sm" c="dimmed">
          People who lost access may still have these. Revoke the ones your apps don’t need.
        </Text>
      </div>
      <Paper withBorder p="md">
        <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {data.items.map((secret) => (
            <SecretRow key={secret.id} accountId={accountId} secret={secret} />
          ))}
        </Stack>
      </Paper>
    </Stack>
  );
}

function SecretRow({
  accountId,
  secret,
}: {
  readonly accountId: string;
  readonly secret: ExposedSecret;
}): ReactNode {
  const isKey = secret.kind === 'api_key';
  const revoke = useMutation({
    mutationFn: async () => {
      if (isKey) await del(`/admin/keys/${secret.id}`);
      else await post(`/admin/accounts/${accountId}/webhook-secret`, {});
    },
    onSuccess: () =>
      toast(isKey ? 'Key revoked' : 'Secret rotated. The old one expires in 24 hours.'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.account(accountId) }),
  });
  return (
    <Group component="li" justify="space-between" gap="sm">
      <div>
        <Text fz="sm" fw={500}>
          {isKey ? `${secret.key_name} (…${secret.last_four})` : 'Webhook signing secret'}
        </Text>
        <Text fz="xs" c="dimmed">
          {isKey ? 'Created by ' : 'Seen by '}
          {secret.people.join(', ')}
          {isKey ? (
            <>
              {' '}
              · Last used <Timestamp at={secret.last_used_at} fallback="never" />
            </>
          ) : null}
        </Text>
      </div>
      <Button
        size="xs"
        variant="default"
        loading={revoke.isPending}
        onClick={() => revoke.mutate()}
        aria-label={isKey ? `Revoke key ${secret.key_name}` : 'Rotate secret for webhooks'}
      >
        {isKey ? 'Revoke key' : 'Rotate secret'}
      </Button>
      {revoke.error ? (
        <ErrorNotice
          error={revoke.error}
          title={isKey ? 'Couldn’t revoke the key' : 'Couldn’t rotate the secret'}
        />
      ) : null}
    </Group>
  );
}
