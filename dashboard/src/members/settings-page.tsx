/** The settings of an account: name, balance alert, retention and export. */
import { Button, Stack } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import { RenameForm } from '../admin/account-actions.tsx';
import { RetentionForm, retentionText } from '../admin/account-cards.tsx';
import { buildUrl } from '../api/client.ts';
import { useAccount, useSession } from '../api/session.ts';
import { Page } from '../components/page.tsx';
import { SettingCard } from '../components/setting-card.tsx';
import { CardsSkeleton } from '../components/states.tsx';
import { Note } from '../components/text.tsx';
import { BalanceAlert } from '../notices/balance-alert.tsx';

export function SettingsPage() {
  const { account, hasRole } = useAccount();
  return (
    <Page title="Settings" description="The name, alert and data of this account.">
      {account ? (
        <Settings
          account={account}
          canEdit={hasRole('owner') && account.erasure_started_at === null}
        />
      ) : (
        <CardsSkeleton h={76} isWide />
      )}
    </Page>
  );
}

function Settings(props: { readonly account: Account; readonly canEdit: boolean }) {
  const { account, canEdit } = props;
  const { person } = useSession();
  return (
    <Stack gap="sm">
      <SettingCard
        title="Name"
        value={<Note>{account.name}</Note>}
        action={canEdit ? 'Rename' : null}
        dialogTitle="Rename account"
      >
        {(close) => <RenameForm account={account} onDone={close} />}
      </SettingCard>
      <BalanceAlert canEdit={canEdit} />
      {person.administrator ? (
        <RetentionForm key={JSON.stringify(account.retention)} account={account} />
      ) : (
        <SettingCard title="Retention" value={<Note>{retentionText(account.retention)}</Note>} />
      )}
      {canEdit ? (
        <SettingCard
          title="Export"
          value={
            <Note>Tasks, credits, keys and members as JSON, and results, in one archive.</Note>
          }
          actions={
            <Button
              component="a"
              variant="default"
              size="xs"
              leftSection={<DownloadIcon aria-hidden />}
              href={buildUrl(`/admin/accounts/${account.id}/archive`)}
              download
            >
              Export data
            </Button>
          }
        />
      ) : null}
    </Stack>
  );
}
