/** Replays all exhausted deliveries of a time span. */
import { Modal, Select, Stack, Text } from '@mantine/core';
import type { ReplayFailedResponse } from '@vidgen/contract/webhook-tools.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { SubmitRow } from '../components/submit-row.tsx';
import { toast } from '../components/toast.ts';
import { useAsyncAction } from '../components/use-async-action.ts';

const spans = [
  { value: '3600', label: 'The last hour' },
  { value: '21600', label: 'The last 6 hours' },
  { value: '86400', label: 'The last day' },
  { value: '604800', label: 'The last week' },
  { value: '2592000', label: 'The last 30 days' },
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
    toast(replayed === 1 ? '1 call is made again' : `${replayed} calls are made again`);
    await queryClient.invalidateQueries({ queryKey: keys.accountPart(account, 'deliveries') });
    onClose();
  });
  return (
    <Modal opened={opened} onClose={onClose} title="Replay failed deliveries">
      <form onSubmit={replay.run}>
        <Stack gap="md">
          <Text fz="sm">
            Every delivery that has used up its retries is made again, with the same id and body, so
            that your receiver can tell what it has seen already.
          </Text>
          <Select
            data-autofocus
            label="Created in"
            data={spans}
            allowDeselect={false}
            value={span}
            onChange={(chosen) => setSpan(chosen ?? span)}
          />
          <SubmitRow
            error={replay.error}
            errorTitle="Nothing was replayed"
            isPending={replay.isPending}
          >
            Replay
          </SubmitRow>
        </Stack>
      </form>
    </Modal>
  );
}
