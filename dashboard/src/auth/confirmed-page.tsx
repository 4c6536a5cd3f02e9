/** The window of a confirmation, when it returns from the OpenID provider. It closes itself. */
import { Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { AuthLayout } from './auth-layout.tsx';
import { confirmations, type OpenIdResult, openIdMessage } from './openid-result.ts';

export function ConfirmedPage(): ReactNode {
  const { problem } = useSearch({ from: '/confirmed' });
  const message = problem === undefined ? null : openIdMessage(problem);
  useEffect(() => {
    const channel = new BroadcastChannel(confirmations);
    channel.postMessage({ problem: message } satisfies OpenIdResult);
    channel.close();
    window.close();
  }, [message]);
  return (
    <AuthLayout title={message === null ? 'Confirmed' : 'Not confirmed'}>
      <Text fz="sm" role="status">
        {message === null ? '' : `${message} `}You can close this window.
      </Text>
    </AuthLayout>
  );
}
