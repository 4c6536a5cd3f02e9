/** The person's sessions, with a button to end each of the others. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ListedSession, ListSessionsResponse } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { del, get } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { CardSkeleton } from '../components/skeletons.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { browserOf } from './browser-name.ts';

const collapsedMax = 6;

export function Sessions(): ReactNode {
  const [isExpanded, setExpanded] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: keys.sessions,
    queryFn: () => get<ListSessionsResponse>('/sessions'),
  });
  return (
    <SectionCard title="Sessions">
      {error ? <ErrorNotice error={error} title="Couldn’t load sessions" retry={refetch} /> : null}
      {data ? (
        <Stack gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {data.items.slice(0, isExpanded ? undefined : collapsedMax).map((session) => (
            <SessionItem key={session.id} session={session} />
          ))}
        </Stack>
      ) : error ? null : (
        <CardSkeleton h={72} />
      )}
      {data && data.items.length > collapsedMax && !isExpanded ? (
        <Button variant="default" size="xs" mt="md" onClick={() => setExpanded(true)}>
          Show all {data.items.length}
        </Button>
      ) : null}
    </SectionCard>
  );
}

function SessionItem({ session }: { readonly session: ListedSession }): ReactNode {
  const end = useMutation({
    mutationFn: () => del(`/sessions/${session.id}`),
    onSuccess: () => toast('Session ended'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.sessions }),
  });
  return (
    <Group component="li" justify="space-between" gap="sm" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <Text fz="sm" fw={500} title={session.agent}>
            {browserOf(session.agent)}
          </Text>
          {session.current ? (
            <Badge variant="light" color="green">
              This device
            </Badge>
          ) : null}
        </Group>
        {end.error ? <ErrorNotice error={end.error} title="Couldn’t end the session" /> : null}
        <Text fz="xs" c="dimmed">
          {session.address} · Signed in <Timestamp at={session.created_at} /> · Last active{' '}
          <Timestamp at={session.last_used_at} />
        </Text>
      </div>
      {session.current ? null : (
        <Button size="xs" variant="default" loading={end.isPending} onClick={() => end.mutate()}>
          Sign out
        </Button>
      )}
    </Group>
  );
}
