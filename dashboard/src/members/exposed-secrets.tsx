/** Keys and the webhook secret that former members still know, each with a button to revoke it. */
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ExposedSecret, ListExposedSecretsResponse } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { del, get, post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { ActionList, ActionRow } from './action-list.tsx';

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
    <ActionList
      title="Exposed to former members"
      description="People who lost access may still have these. Revoke those your apps don’t need."
    >
      {data.items.map((secret) => (
        <SecretRow key={secret.id} accountId={accountId} secret={secret} />
      ))}
    </ActionList>
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
  const details = (
    <>
      {isKey ? 'Created by ' : 'Seen by '}
      {secret.people.join(', ')}
      {isKey ? (
        <>
          {' '}
          · Last used <Timestamp at={secret.last_used_at} fallback="never" />
        </>
      ) : null}
    </>
  );
  return (
    <ActionRow
      title={isKey ? `${secret.key_name} (…${secret.last_four})` : 'Webhook signing secret'}
      details={details}
      action={revoke}
      actionName={isKey ? 'Revoke key' : 'Rotate secret'}
      actionLabel={isKey ? `Revoke key ${secret.key_name}` : 'Rotate secret for webhooks'}
      errorTitle={isKey ? 'Couldn’t revoke the key' : 'Couldn’t rotate the secret'}
    />
  );
}
