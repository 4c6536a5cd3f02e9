/** What can be done with one thing: a menu behind three dots, and buttons that are icons. */
import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { DotsHorizontalIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';

/** Red is what ends something. */
type Action<Name> = readonly [name: Name, label: string, color?: 'red'] | false;

export function ActionsMenu<Name extends string>(props: {
  /** Completes "Actions for". */
  readonly of: string;
  readonly actions: readonly Action<Name>[];
  /** In a row of a table, which has no room for a border. */
  readonly isPlain?: true;
  readonly isDisabled?: boolean;
  onAction(name: Name): void;
}) {
  const { of, actions, isPlain, isDisabled = false, onAction } = props;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant={isPlain ? 'subtle' : 'default'}
          aria-label={`Actions for ${of}`}
          disabled={isDisabled}
        >
          <DotsHorizontalIcon aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions
          .filter((action) => action !== false)
          .map(([name, label, color]) => (
            <Menu.Item key={name} {...(color ? { color } : {})} onClick={() => onAction(name)}>
              {label}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A button of a table’s row: an icon with a tooltip, which a phone shows in words. */
export function IconAction(props: {
  readonly label: string;
  /** The accessible name, which says of what. */
  readonly name: string;
  readonly color?: 'red';
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
  onClick(): void;
}) {
  const { label, name, color = 'gray', isDisabled = false, children, onClick } = props;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color={color}
        aria-label={name}
        data-short-label={label}
        disabled={isDisabled}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
