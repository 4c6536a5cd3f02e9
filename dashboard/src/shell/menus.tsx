/**
 * A button with a menu, built on the browser's popover, which closes on Escape or a click outside,
 * restores the focus and needs no script for stacking.
 */
import { Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import {
  CaretSortIcon,
  CheckIcon,
  DesktopIcon,
  ExitIcon,
  GearIcon,
  MixerHorizontalIcon,
  MoonIcon,
  SunIcon,
} from '@radix-ui/react-icons';
import { type UseNavigateResult, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { clearPersonalData, del } from '../api/client.ts';
import { useAccount, useSession } from '../api/session.ts';
import { Label, SmallNote } from '../components/text.tsx';
import { useIsAdministration } from './navigation.tsx';
import menu from './popover-menu.module.css';
import classes from './shell.module.css';

function PopoverMenu(props: {
  /** The content of the button. */
  readonly trigger: ReactNode;
  /** `top` opens below the button at the top of the sidebar, `bottom` above the one at its end. */
  readonly position: 'top' | 'bottom';
  readonly children: ReactNode;
}) {
  const { trigger, position, children } = props;
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  return (
    <>
      <UnstyledButton className={menu.trigger ?? ''} popoverTarget={id}>
        {trigger}
      </UnstyledButton>
      {/** biome-ignore lint/a11y/noStaticElementInteractions: arrow keys of its items */}
      <div
        ref={panel}
        id={id}
        popover="auto"
        className={`${menu.panel} ${position === 'top' ? menu.top : menu.bottom}`}
        onClick={({ target }) => {
          if ((target as HTMLElement).closest('a, button')) panel.current?.hidePopover();
        }}
        onKeyDown={moveFocus}
      >
        {children}
      </div>
    </>
  );
}

function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('a, button')];
  const index = items.indexOf(document.activeElement as HTMLElement);
  items.at((index + step + items.length) % items.length)?.focus();
  event.preventDefault();
}

function PopoverItem(props: {
  readonly icon?: ReactNode;
  readonly end?: ReactNode;
  readonly children: ReactNode;
  onClick(): void;
}) {
  const { icon, end, children, onClick } = props;
  return (
    <UnstyledButton className={menu.item ?? ''} onClick={onClick}>
      {icon}
      <span className={menu.label}>{children}</span>
      {end}
    </UnstyledButton>
  );
}

/** Shows the current account, and switches to another or to the administration. */
export function AccountSwitcher() {
  const { accounts, person } = useSession();
  const { id, name, isUnknown } = useAccount();
  const navigate = useNavigate();
  const isAdministration = useIsAdministration();
  const isMember = accounts.some((account) => account.id === id);
  const title = isAdministration ? 'Administration' : isUnknown ? 'Select account' : name || '…';
  return (
    <PopoverMenu
      position="top"
      trigger={
        <>
          <span className={classes.accountAvatar} aria-hidden>
            {isAdministration ? <MixerHorizontalIcon /> : name.charAt(0).toUpperCase()}
          </span>
          <Text fz="sm" fw={600} truncate flex={1}>
            {title}
          </Text>
          <VisuallyHidden>Switch account</VisuallyHidden>
          <CaretSortIcon aria-hidden />
        </>
      }
    >
      {[...accounts, ...(isMember || isUnknown ? [] : [{ id, name }])].map((account) => (
        <PopoverItem
          key={account.id}
          end={account.id === id && !isAdministration ? <CheckIcon aria-label="Selected" /> : null}
          onClick={() => navigate({ to: '/accounts/$account', params: { account: account.id } })}
        >
          {account.name}
        </PopoverItem>
      ))}
      {person.administrator ? (
        <>
          <hr />
          <PopoverItem
            icon={<MixerHorizontalIcon aria-hidden />}
            end={isAdministration ? <CheckIcon aria-label="Selected" /> : null}
            onClick={() => navigate({ to: '/operator/overview' })}
          >
            Administration
          </PopoverItem>
        </>
      ) : null}
    </PopoverMenu>
  );
}

const schemes = [
  { value: 'light', label: 'Light', icon: SunIcon },
  { value: 'dark', label: 'Dark', icon: MoonIcon },
  { value: 'auto', label: 'System', icon: DesktopIcon },
] as const;

/** The menu of the signed-in person: profile, theme, sign-out. */
export function UserMenu() {
  const { person } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const navigate = useNavigate();
  return (
    <PopoverMenu
      position="bottom"
      trigger={
        <>
          <span className={classes.personAvatar} aria-hidden>
            {person.name.charAt(0).toUpperCase()}
          </span>
          <span className={classes.personNames}>
            <Label truncate>{person.name}</Label>
            <SmallNote truncate>{person.email}</SmallNote>
          </span>
          <VisuallyHidden>Profile and theme</VisuallyHidden>
          <CaretSortIcon aria-hidden />
        </>
      }
    >
      <PopoverItem icon={<GearIcon aria-hidden />} onClick={() => navigate({ to: '/profile' })}>
        Profile and sessions
      </PopoverItem>
      <hr />
      <div className={menu.heading}>Theme</div>
      {schemes.map(({ value, label, icon: Icon }) => (
        <PopoverItem
          key={value}
          icon={<Icon aria-hidden />}
          end={colorScheme === value ? <CheckIcon aria-label="Selected" /> : null}
          onClick={() => setColorScheme(value)}
        >
          {label}
        </PopoverItem>
      ))}
      <hr />
      <PopoverItem icon={<ExitIcon aria-hidden />} onClick={() => signOut(navigate)}>
        Sign out
      </PopoverItem>
    </PopoverMenu>
  );
}

/** Ends the session and clears all cached data. */
async function signOut(navigate: UseNavigateResult<string>): Promise<void> {
  await del('/session');
  await navigate({ to: '/sign-in' });
  clearPersonalData();
}
