/** A setting with its value, and a button that opens a dialog to change it. */
import { Button, Card, Group, Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Label } from './texts.tsx';

export function SettingCard(props: {
  readonly title: string;
  readonly value: ReactNode;
  /** The label of the button; null if the person may not change the setting. */
  readonly action: string | null;
  readonly dialogTitle: string;
  readonly isDisabled?: boolean;
  /** Further buttons. */
  readonly actions?: ReactNode;
  /** The form of the dialog. */
  children(close: () => void): ReactNode;
}): ReactNode {
  const { action, isDisabled = false } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" gap="sm">
        <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          <Label>{props.title}</Label>
          {props.value}
        </div>
        <Group gap="xs">
          {props.actions}
          {action === null ? null : (
            <Button variant="default" size="xs" disabled={isDisabled} onClick={() => setOpen(true)}>
              {action}
            </Button>
          )}
        </Group>
      </Group>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={props.dialogTitle}>
        {props.children(() => setOpen(false))}
      </Modal>
    </Card>
  );
}
