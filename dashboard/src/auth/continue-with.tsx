/** “Continue with …”: signs in at the OpenID provider. Renders nothing where there is none. */
import { Button, Divider, Stack } from '@mantine/core';
import type { OpenIdProblem, StartedOpenIdResponse } from '@vidgen/contract/sign-in.ts';
import { post } from '../api/client.ts';
import { useAsyncAction } from '../components/action.ts';
import { ErrorNotice } from '../components/states.tsx';
import { openIdMessage, useSignInMethods } from './openid-result.ts';

export function ContinueWith(props: {
  /** The page of the dashboard to open after the sign-in. */
  readonly to?: string | undefined;
  /** The token of an invitation. */
  readonly link?: string;
  /** Why the last attempt failed. */
  readonly problem?: OpenIdProblem | undefined;
}) {
  const { to, link, problem } = props;
  const provider = useSignInMethods()?.openid;
  const start = useAsyncAction(async () => {
    const request = {
      ...(to === undefined ? {} : { to }),
      ...(link === undefined ? {} : { link }),
    };
    const { url } = await post<StartedOpenIdResponse>('/session/openid', request);
    location.assign(url);
  });
  if (!provider) return null;
  const failure = start.error ?? (problem && new Error(openIdMessage(problem, provider.name)));
  return (
    <Stack gap="md">
      <ErrorNotice error={failure} title="Couldn’t sign in" />
      <Button variant="default" fullWidth loading={start.isPending} onClick={start.run}>
        Continue with {provider.name}
      </Button>
      <Divider label="or" />
    </Stack>
  );
}
