/** Sets how long an account's data is kept. An empty field follows the installation. */
import { Button, Group, NumberInput, Text } from '@mantine/core';
import type { Account, Retention } from '@vidgen/contract/admin-accounts.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { toast } from '../components/toast.ts';

const fields: readonly (readonly [name: keyof Retention, label: string, daysMin: 0 | 1])[] = [
  ['prompts_days', 'Prompts and inputs', 0],
  ['deliveries_days', 'Webhook bodies', 0],
  ['tasks_days', 'Tasks', 0],
  ['files_days', 'Results', 1],
];

export function RetentionForm({ account }: { readonly account: Account }): ReactNode {
  const [days, setDays] = useState<Retention>(account.retention);
  const [isConfirming, setConfirming] = useState(false);
  const save = async () => {
    await post(`/admin/accounts/${account.id}/retention`, days);
    toast('Retention updated');
    await queryClient.invalidateQueries({ queryKey: keys.account(account.id) });
  };
  const isChanged = fields.some(([name]) => days[name] !== account.retention[name]);
  return (
    <SectionCard title="Retention">
      <Text fz="sm" c="dimmed">
        Data is deleted after this many days. Leave empty for the server default. 0 means never.
      </Text>
      <Group align="flex-end" gap="sm" mt="xs">
        {fields.map(([name, label, daysMin]) => (
          <NumberInput
            key={name}
            label={label}
            placeholder="Default"
            min={daysMin}
            max={3650}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="strict"
            w={150}
            value={days[name] ?? ''}
            onChange={(value) => setDays({ ...days, [name]: value === '' ? null : Number(value) })}
          />
        ))}
        <Button disabled={!isChanged} onClick={() => setConfirming(true)}>
          Save retention
        </Button>
      </Group>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Change retention?"
        action="Change retention"
        run={save}
      >
        Older data is deleted within minutes. This can’t be undone. Credit history and usage are
        kept.
      </ConfirmDialog>
    </SectionCard>
  );
}
