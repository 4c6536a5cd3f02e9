/** The admin page of one account: status, balances, limits, details and actions. */
import { Alert, Badge, Button, Grid, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import { keyModes } from '@vidgen/contract/models.ts';
import { useState } from 'react';
import { accountQuery } from '../api/session.ts';
import { Copyable } from '../components/code.tsx';
import { LinkButton, TextLink } from '../components/links.tsx';
import { DescriptionList, Page, SectionCard } from '../components/page.tsx';
import { useDialog } from '../components/setting-card.tsx';
import { Loaded, PageSkeleton } from '../components/states.tsx';
import { Credits, Note, SmallNote, Timestamp } from '../components/text.tsx';
import { type AccountAction, AccountActionsMenu, AccountDialogs } from './account-actions.tsx';
import { AccountLimitsCard } from './account-cards.tsx';
import { AccountStatus } from './account-link.tsx';
import { AccountPricesCard } from './account-prices.tsx';
import { SuspendedAlert } from './suspend-account.tsx';

export function AccountPage() {
  const { id } = useParams({ from: '/signed-in/operator/accounts/$id' });
  const query = useQuery(accountQuery(id));
  const [action, setAction] = useState<AccountAction | null>(null);
  const [isAdding, setAdding] = useDialog('add-credits');
  const closeDialog = () => (isAdding ? setAdding(false) : setAction(null));
  return (
    <Loaded query={query} what="this account" placeholder={<PageSkeleton hasCards />}>
      {(account) => (
        <Page
          tabTitle={account.name}
          title={
            <Group component="span" gap="sm">
              {account.name}
              <AccountStatus account={account} />
              {account.demo ? <Badge color="gray">Demo</Badge> : null}
            </Group>
          }
          description={<Copyable value={id} label="account ID" />}
          actions={
            <>
              <LinkButton variant="default" to="/accounts/$account" params={{ account: id }}>
                Open account
              </LinkButton>
              <LinkButton
                variant="default"
                to="/accounts/$account/settings"
                params={{ account: id }}
              >
                Settings
              </LinkButton>
              <AccountActionsMenu account={account} onChoose={setAction} />
            </>
          }
        >
          <SuspendedAlert account={account} />
          {account.closed_at === null ? null : (
            <Alert color="red" title={erasureTitle(account)}>
              Closed <Timestamp at={account.closed_at} />. Its keys no longer work and no credits
              can be added. {erasureText(account)}
            </Alert>
          )}
          {isUnused(account) ? (
            <NextSteps account={account} onAdjust={() => setAction('adjust')} />
          ) : null}
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, lg: 7 }}>
              <Stack gap="lg">
                <BalancesCard account={account} onAdjust={() => setAction('adjust')} />
                <AccountLimitsCard account={account} onEdit={() => setAction('limits')} />
                <AccountPricesCard
                  // The form begins again with another account, or another person's prices.
                  key={JSON.stringify([account.id, account.price_percent, account.prices])}
                  account={account}
                />
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 5 }}>
              <DetailsCard account={account} />
            </Grid.Col>
          </Grid>
          <AccountDialogs
            account={account}
            action={isAdding ? 'adjust' : action}
            onClose={closeDialog}
          />
        </Page>
      )}
    </Loaded>
  );
}

const isUnused = ({ balance, closed_at, suspended_at }: Account): boolean =>
  closed_at === null &&
  suspended_at === null &&
  keyModes.every((mode) => balance[mode].available === 0 && balance[mode].reserved === 0);

/** What an account without credits needs before its first video. */
function NextSteps(props: { readonly account: Account; onAdjust(): void }) {
  const params = { account: props.account.id };
  return (
    <SectionCard title="Next step: add credits">
      <Note>Without credits its keys and its playground can’t create videos.</Note>
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={props.onAdjust}>
          Add credits
        </Button>
        <LinkButton size="xs" variant="default" to="/accounts/$account/members" params={params}>
          Invite its owner
        </LinkButton>
        <LinkButton size="xs" variant="default" to="/accounts/$account/keys" params={params}>
          Create a key
        </LinkButton>
      </Group>
    </SectionCard>
  );
}

function erasureTitle({ erasure_started_at, erased_at }: Account): string {
  if (erasure_started_at === null) return 'Account closed';
  return erased_at === null ? 'Erasing account' : 'Account erased';
}

function erasureText({ erasure_started_at, erased_at }: Account): string {
  if (erasure_started_at === null) return '';
  return erased_at === null
    ? 'Its data is being deleted.'
    : 'Its data was deleted, except credit history and usage.';
}

function BalancesCard(props: { readonly account: Account; onAdjust(): void }) {
  const { account, onAdjust } = props;
  return (
    <SectionCard
      title="Credits"
      actions={
        <Group gap="sm">
          <TextLink to="/accounts/$account/credits" params={{ account: account.id }} fz="sm">
            View history
          </TextLink>
          {account.closed_at === null ? (
            <Button variant="default" size="xs" onClick={onAdjust}>
              Adjust credits
            </Button>
          ) : null}
        </Group>
      }
    >
      <SimpleGrid cols={2}>
        {keyModes.map((mode) => (
          <ModeBalance
            key={mode}
            title={mode === 'live' ? 'Live' : 'Test'}
            balance={account.balance[mode]}
          />
        ))}
      </SimpleGrid>
    </SectionCard>
  );
}

function ModeBalance(props: {
  readonly title: string;
  readonly balance: Account['balance']['live'];
}) {
  const { available, reserved, suspended } = props.balance;
  return (
    <div>
      <Note>{props.title} available</Note>
      <Text fz={28} fw={600} lh={1.3}>
        <Credits amount={available} />
      </Text>
      <SmallNote>
        <Credits amount={reserved} /> reserved for running tasks
        {suspended > 0 ? (
          <>
            {' · '}
            <Credits amount={suspended} /> in refunds to review
          </>
        ) : null}
      </SmallNote>
    </div>
  );
}

function DetailsCard({ account }: { readonly account: Account }) {
  return (
    <SectionCard
      title="Details"
      actions={
        <TextLink to="/operator/audit-log" search={{ account_id: account.id }} fz="sm">
          View audit log
        </TextLink>
      }
    >
      <DescriptionList
        items={[
          ['Created', <Timestamp key="created" at={account.created_at} />],
          ['Webhook URL', account.webhook_url ?? 'None'],
        ]}
      />
    </SectionCard>
  );
}
