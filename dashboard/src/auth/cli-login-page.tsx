/**
 * Confirms a login of the command line. Shows which machine asked, and warns: a link with a code
 * from another person would give that person a key.
 */
import { Alert, Button, Group, Input, Paper, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ConfirmLoginRequest, WaitingLogin } from '@vidgen/contract/cli-logins.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { useState } from 'react';
import { AccountSelect } from '../admin/account-link.tsx';
import { get, post } from '../api/client.ts';
import { useAccountId, useSession } from '../api/session.ts';
import { useAsyncAction } from '../components/action.ts';
import { Form } from '../components/form.tsx';
import { DescriptionList, Page } from '../components/page.tsx';
import { ErrorNotice, PageSkeleton } from '../components/states.tsx';
import { Timestamp } from '../components/text.tsx';

export function CliLoginPage() {
  const { code } = useSearch({ from: '/signed-in/login' });
  return (
    <Page
      maw={560}
      title="Authorize the CLI"
      description="Creates an API key for the computer that shows this code."
    >
      {code === undefined ? <CodeForm /> : <WaitingMachine key={code} code={code} />}
    </Page>
  );
}

function CodeForm() {
  const navigate = useNavigate({ from: '/login' });
  const [code, setCode] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ search: (before) => ({ ...before, code: code.trim() }) });
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          label="Code"
          description="Shown in your terminal when you run vidgen login."
          placeholder="BCDF-GHJK"
          autoComplete="off"
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
        />
        <Button type="submit" disabled={code.trim() === ''}>
          Continue
        </Button>
      </Group>
    </form>
  );
}

function WaitingMachine({ code }: { readonly code: string }) {
  const [isConfirmed, setConfirmed] = useState(false);
  const { data: login, error } = useQuery({
    queryKey: ['login', code],
    queryFn: () => get<WaitingLogin>(`/logins/${encodeURIComponent(code)}`),
    retry: false,
    refetchOnWindowFocus: false,
  });
  if (isConfirmed) {
    return (
      <Alert color="green" title="CLI authorized" role="status">
        You can close this page and return to your terminal. Revoke the key anytime under API keys.
      </Alert>
    );
  }
  if (error) return <ErrorNotice error={error} title="Couldn’t find this login" />;
  if (!login) return <PageSkeleton />;
  return (
    <Paper withBorder p="lg">
      <Stack gap="md">
        <Text ff="monospace" fz={28} fw={600} lts="0.08em">
          {login.code}
        </Text>
        <DescriptionList
          items={[
            ['Computer (as reported)', login.machine],
            ['IP address', login.address],
            ['Requested', <Timestamp key="requested" at={login.created_at} />],
            ['Expires', <Timestamp key="expires" at={login.expires_at} />],
          ]}
        />
        <Alert color={login.is_same_network ? 'yellow' : 'red'} title="Did you start this login?">
          Authorize only if you just ran vidgen login and your terminal shows this exact code. If
          someone sent you this link or code, close this page: they would get a key that can spend
          your credits.
          {login.is_same_network
            ? null
            : ' This computer isn’t on the same network as your browser.'}
        </Alert>
        <ConfirmForm login={login} onConfirmed={() => setConfirmed(true)} />
      </Stack>
    </Paper>
  );
}

const modes = [
  { value: 'test', label: 'Test (previews, test credits)' },
  { value: 'live', label: 'Live (real videos, live credits)' },
];

function ConfirmForm(props: { readonly login: WaitingLogin; onConfirmed(): void }) {
  const { login, onConfirmed } = props;
  const { accounts, person } = useSession();
  const last = useAccountId();
  const allowed = accounts.filter(({ role }) => person.administrator || role !== 'viewer');
  const [account, setAccount] = useState(
    (allowed.find(({ id }) => id === last) ?? allowed[0])?.id ?? null,
  );
  const [mode, setMode] = useState<KeyMode>('test');
  const confirm = useAsyncAction(async () => {
    const body: ConfirmLoginRequest = { code: login.code, mode };
    await post(`/admin/accounts/${account}/logins`, body);
    onConfirmed();
  });
  if (account === null && !person.administrator) {
    return (
      <Text fz="sm">
        You don’t have permission to create keys. Ask an account owner for the Developer role.
      </Text>
    );
  }
  return (
    <Form
      submit={confirm}
      action="Authorize"
      errorTitle="Couldn’t authorize the CLI"
      isDisabled={account === null}
    >
      {person.administrator ? (
        <Input.Wrapper label="Account">
          <AccountSelect
            isField
            placeholder="Choose one"
            value={account ?? undefined}
            onChange={(id) => setAccount(id ?? null)}
          />
        </Input.Wrapper>
      ) : (
        <Select
          label="Account"
          data={allowed.map(({ id, name }) => ({ value: id, label: name }))}
          value={account}
          onChange={setAccount}
        />
      )}
      <Select
        label="Key mode"
        data={modes}
        value={mode}
        onChange={(chosen) => setMode(chosen === 'live' ? 'live' : 'test')}
      />
    </Form>
  );
}
