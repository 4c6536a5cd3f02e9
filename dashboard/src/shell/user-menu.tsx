/** The menu of the signed-in person: profile, theme, sign-out. */
import { Text, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import {
  CaretSortIcon,
  CheckIcon,
  DesktopIcon,
  ExitIcon,
  GearIcon,
  MoonIcon,
  SunIcon,
} from '@radix-ui/react-icons';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../api/session.ts';
import { PopoverItem, PopoverLabel, PopoverMenu } from './popover-menu.tsx';
import classes from './shell.module.css';
import { signOut } from './sign-out.ts';

const schemes = [
  { value: 'light', label: 'Light', icon: SunIcon },
  { value: 'dark', label: 'Dark', icon: MoonIcon },
  { value: 'auto', label: 'System', icon: DesktopIcon },
] as const;

export function UserMenu(): ReactNode {
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
            <Text fz="sm" fw={500} truncate>
              {person.name}
            </Text>
            <Text fz="xs" c="dimmed" truncate>
              {person.email}
            </Text>
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
      <PopoverLabel>Theme</PopoverLabel>
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
