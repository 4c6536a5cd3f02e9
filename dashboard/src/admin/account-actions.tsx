/** The menu of everything an administrator can do with an account, and the dialogs it opens. */
import { Button, Menu, Modal, TextInput } from '@mantine/core';
import { ChevronDownIcon } from '@radix-ui/react-icons';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import { invalidate, patch, post } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Form } from '../components/form.tsx';
import { type AccountFormProps, LimitsForm } from './account-cards.tsx';
import { AdjustmentForm } from './adjust-credits.tsx';
import { SuspendForm } from './suspend-account.tsx';

export type AccountAction = 'adjust' | 'limits' | 'suspend' | 'close' | 'erase';

export function AccountActionsMenu(props: {
  readonly account: Account;
  onChoose(action: AccountAction): void;
}) {
  const { account, onChoose } = props;
  const isOpen = account.closed_at === null;
  const item = (action: AccountAction, label: string, color?: 'red') => (
    <Menu.Item {...(color ? { color } : {})} onClick={() => onChoose(action)}>
      {label}
    </Menu.Item>
  );
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <Button rightSection={<ChevronDownIcon aria-hidden />}>Actions</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {isOpen ? item('adjust', 'Adjust credits') : null}
        {isOpen ? item('limits', 'Edit limits') : null}
        {isOpen ? <Menu.Divider /> : null}
        {isOpen && account.suspended_at === null ? item('suspend', 'Suspend', 'red') : null}
        {isOpen ? item('close', 'Close account', 'red') : null}
        {account.erasure_started_at === null ? item('erase', 'Erase account', 'red') : null}
      </Menu.Dropdown>
    </Menu>
  );
}

const forms = {
  adjust: ['Adjust credits', AdjustmentForm],
  limits: ['Edit limits', LimitsForm],
  suspend: ['Suspend account?', SuspendForm],
} as const;

export function AccountDialogs(props: {
  readonly account: Account;
  /** The dialog that is open. */
  readonly action: AccountAction | null;
  onClose(): void;
}) {
  const { account, action, onClose } = props;
  const dialog = (name: AccountAction) => ({ account, opened: action === name, onClose });
  return (
    <>
      {Object.entries(forms).map(([name, [title, ActionForm]]) => (
        <Modal key={name} opened={action === name} onClose={onClose} title={title}>
          <ActionForm account={account} onDone={onClose} />
        </Modal>
      ))}
      <EndAccountDialog {...dialog('close')} kind="close" />
      <EndAccountDialog {...dialog('erase')} kind="erase" />
    </>
  );
}

export function RenameForm({ account, onDone }: AccountFormProps) {
  const { form, submit } = useApiForm({
    initialValues: { name: account.name },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
    async send({ name }) {
      await patch(`/admin/accounts/${account.id}`, { name: name.trim() });
      toast('Account renamed');
      await invalidate(`/admin/accounts/${account.id}`, '/admin/accounts', '/session');
      onDone();
    },
  });
  return (
    <Form submit={submit} action="Rename account" errorTitle="Couldn’t rename the account">
      <TextInput
        data-autofocus
        label="Name"
        maxLength={200}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
    </Form>
  );
}

type EndKind = 'close' | 'erase';

const ends = {
  close: {
    action: 'Close account',
    done: 'Closed',
    warning: 'stop working, and no credits can be added. This can’t be undone.',
  },
  erase: {
    action: 'Erase account',
    done: 'Erasing',
    warning:
      'will be deleted, except credit history and usage. Export it first if anyone may need it. ' +
      'This can’t be undone.',
  },
} as const;

/** Closes or erases an account, as an administrator. */
function EndAccountDialog(props: {
  readonly account: Account;
  readonly kind: EndKind;
  readonly opened: boolean;
  onClose(): void;
}) {
  const { account, kind, opened, onClose } = props;
  const { action, done, warning } = ends[kind];
  const run = async () => {
    const body = kind === 'erase' ? { name: account.name } : undefined;
    await post(`/admin/accounts/${account.id}/${kind}`, body);
    toast(`${done} ${account.name}`);
    await invalidate(`/admin/accounts/${account.id}`, '/admin/accounts');
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={`${action}?`}
      action={action}
      confirmationText={account.name}
      run={run}
    >
      {kind === 'close' ? 'All keys' : 'All data'} of {account.name} {warning}
    </ConfirmDialog>
  );
}
