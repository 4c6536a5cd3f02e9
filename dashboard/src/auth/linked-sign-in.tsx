/** The link to the OpenID provider on the profile page. */
import { Badge, Button, Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import type { SecurityResponse, StartedOpenIdResponse } from '@vidgen/contract/sign-in.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { capitalize } from '../components/format.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { useAsyncAction } from '../components/use-async-action.ts';
import { CodeDialog } from './code-dialog.tsx';
import { openIdMessage } from './openid-result.ts';

async function goToProvider(request: { readonly code?: string }): Promise<void> {
  const { url } = await post<StartedOpenIdResponse>('/session/identity', request);
  location.assign(url);
}

export function LinkedSignIn({ security }: { readonly security: SecurityResponse }): ReactNode {
  const { problem } = useSearch({ from: '/signed-in/profile' });
  const { openid } = security;
  if (!openid) return null;
  const { name, identity } = openid;
  return (
    <SectionCard
      title={capitalize(name)}
      badge={
        <Badge color={identity ? 'green' : 'gray'}>{identity ? 'Linked' : 'Not linked'}</Badge>
      }
    >
      <Stack gap="md" align="flex-start">
        {problem ? (
          <ErrorNotice error={new Error(openIdMessage(problem, name))} title="Couldn’t link" />
        ) : null}
        {identity ? (
          <Text fz="sm">
            You sign in with {name}
            {identity.email === null ? '' : ` as ${identity.email}`}. Linked{' '}
            <Timestamp at={identity.linked_at} />. Only an administrator can unlink it.
          </Text>
        ) : (
          <>
            <Text fz="sm">Link {name} to sign in there. Your password won’t work any more.</Text>
            <LinkButton name={name} needsCode={security.second_factor !== null} />
          </>
        )}
      </Stack>
    </SectionCard>
  );
}

/** With a second factor the code is asked for first: the linked login will need none. */
function LinkButton({
  name,
  needsCode,
}: {
  readonly name: string;
  readonly needsCode: boolean;
}): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const start = useAsyncAction(async () => {
    if (needsCode) setAsking(true);
    else await goToProvider({});
  });
  return (
    <>
      {start.error ? <ErrorNotice error={start.error} title="Couldn’t link" /> : null}
      <Button variant="default" loading={start.isPending} onClick={start.run}>
        Link {name}
      </Button>
      <CodeDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Link ${name}`}
        description={`Signing in with ${name} doesn’t ask for a code, so enter one now.`}
        action="Continue"
        errorTitle="Couldn’t link"
        run={(code) => goToProvider({ code })}
      />
    </>
  );
}
