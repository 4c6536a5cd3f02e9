/** The steps from an API key to a video, with the URL of this installation. */
import { Anchor, List, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { serviceUrl } from '../api/base-path.ts';
import { buildUrl } from '../api/client.ts';
import { useAccount } from '../api/session.ts';
import { CodeTabs } from '../components/code-tabs.tsx';
import { TextLink } from '../components/links.tsx';
import { quickStartSnippets } from './quick-start-snippets.ts';

export function QuickStart(): ReactNode {
  const { id, mode, hasRole } = useAccount();
  return (
    <Paper
      withBorder
      p={{ base: 'md', sm: 'lg' }}
      component="section"
      aria-labelledby="quick-start"
    >
      <Stack gap="md">
        <Title order={2} id="quick-start">
          Quick start
        </Title>
        <List type="ordered" spacing={6} fz="sm">
          <List.Item>
            {hasRole('developer') ? (
              <>
                <TextLink to="/accounts/$account/keys" params={{ account: id }} fz="sm">
                  Create a {mode} key
                </TextLink>{' '}
                and export it: <code>export VIDGEN_KEY=vg_{mode}_…</code>
              </>
            ) : (
              'Ask a developer on this account for an API key and export it as VIDGEN_KEY.'
            )}
          </List.Item>
          <List.Item>Create a task and wait for the result:</List.Item>
        </List>
        <CodeTabs snippets={quickStartSnippets(serviceUrl)} />
        <Text fz="sm" c="dimmed">
          To learn more, read the{' '}
          <Anchor href={buildUrl('/guides/quick-start')} fz="sm">
            quick start guide
          </Anchor>{' '}
          or the{' '}
          <Anchor href={buildUrl('/docs')} fz="sm">
            API reference
          </Anchor>
          .
        </Text>
      </Stack>
    </Paper>
  );
}
