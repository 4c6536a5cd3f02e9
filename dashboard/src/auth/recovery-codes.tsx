/** New recovery codes, shown once: to copy or to download. */
import { Alert, Button, Code, Group, SimpleGrid, Stack } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import { saveFile } from '../components/save-file.ts';

export function RecoveryCodes({
  codes,
  email,
  onDone,
}: {
  readonly codes: readonly string[];
  readonly email: string;
  onDone(): void;
}): ReactNode {
  const download = () => {
    const lines = [`vidgen recovery codes for ${email}`, location.host, '', ...codes, ''];
    saveFile(new Blob([lines.join('\n')], { type: 'text/plain' }), 'vidgen-recovery-codes.txt');
  };
  return (
    <Stack gap="md">
      <Alert color="yellow" title="Save your recovery codes">
        If you lose your phone, these codes are the only way to sign in yourself. Each works once.
        You won’t see them again.
      </Alert>
      <SimpleGrid cols={2} spacing="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {codes.map((code) => (
          <Code key={code} component="li" fz="sm" ta="center" py={6}>
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Group gap="xs">
          <CopyButton value={codes.join('\n')} label="recovery codes" text="Copy" />
          <Button
            variant="default"
            size="xs"
            leftSection={<DownloadIcon aria-hidden />}
            onClick={download}
          >
            Download
          </Button>
        </Group>
        <Button onClick={onDone}>I’ve saved them</Button>
      </Group>
    </Stack>
  );
}
