/** Replays all exhausted deliveries of a time span. */
import { Modal, Select, Stack, Text } from '@mantine/core';
import type { ReplayFailedResponse } from '@vidgen/contract/admin-tasks.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { SubmitRow } from '../components/submit-row.tsx';
import { toast } from '../components/toast.ts';
import { useAsyncAction } from '../components/use-async-action.ts';

const spans = [
  { value: '3600', label: 'Last hour' },
  { value: '21600', label: 'Last 6 hours' },
  { value: '86400', label: 'Last 24 hours' },
  { value: '604800', label: 'Last 7 days' },
  { value: '2592000', label: 'Last 30 days' },
];

export function ReplayFailedDialog(props: {
  readonly account: string;
  readonly opened: boolean;
  onClose(): void;
}): ReactNode {
  const { account, opened, onClose } = props;
  const [span, setSpan] = useState('86400');
  const replay = useAsyncAction(async () => {
    const since = Math.floor(Date.now() / 1000) - Number(span);
    const path = `/admin/accounts/${account}/deliveries/replay`;
    const { replayed } = await post<ReplayFailedResponse>(path, { since });
    toast(replayed === 1 ? 'Replaying 1 webhook' : `Replaying ${replayed} webhooks`);
    await queryClient.invalidateQueries({ queryKey: keys.accountPart(account, 'deliveries') });
    onClose();
  });
  return (
    <Modal opened={opened} onClose={onClose} title="Replay failed webhooks">
      <form onSubmit={replay.run}>
        <Stack gap="md">
          <Text fz="sm">
            Replays every webhook that ran out of retries. Each keeps its original ID and body so
            you can skip duplicates.
          </Text>
          <Select
            data-autofocus
            label="Time range"
            data={spans}
            allowDeselect={false}
            value={span}
            onChange={(chosen) => setSpan(chosen ?? span)}
          />
          <SubmitRow error={replay.error} errorTitle="Couldn’t replay" isPending={replay.isPending}>
            Replay webhooks
          </SubmitRow>
        </Stack>
      </form>
    </Modal>
  );
}
