/** Whether the video of a task is signed, and its manifest as a file. */
import { Badge, Group } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { TaskCredentialsResponse } from '@vidgen/contract/content-credentials.ts';
import { get } from '../api/client.ts';
import { saveFile } from '../api/files.ts';
import { ActionButton } from '../components/setting-card.tsx';
import { Label, SmallNote } from '../components/text.tsx';

const states = {
  signed: { label: 'Signed', color: 'green' },
  kept: { label: 'Kept from provider', color: 'gray' },
  unsigned: { label: 'None', color: 'gray' },
} as const;

/** Nothing without a video, or for one that was stored before videos were signed. */
export function TaskCredentials({ task }: { readonly task: AdminTaskDetail }) {
  const { id, credentials, data } = task;
  const download = async () => {
    const manifest = await get<TaskCredentialsResponse>(`/admin/tasks/${id}/credentials`);
    const file = new Blob([JSON.stringify(manifest, null, 2)], { type: 'application/json' });
    saveFile(file, `${id}-credentials.json`);
  };
  if (!credentials) return null;
  const { label, color } = states[credentials.state];
  const isStored = (data?.results.length ?? 0) > 0;
  return (
    <Group justify="space-between" gap="xs" mt="sm">
      <Group gap="xs">
        <Label>Content credentials</Label>
        <Badge variant="light" color={color}>
          {label}
        </Badge>
        {credentials.detail === null ? null : <SmallNote>{credentials.detail}</SmallNote>}
      </Group>
      {isStored && credentials.state !== 'unsigned' ? (
        <ActionButton
          label="Download manifest"
          leftSection={<DownloadIcon aria-hidden />}
          errorTitle="Couldn’t download the manifest"
          run={download}
        />
      ) : null}
    </Group>
  );
}
