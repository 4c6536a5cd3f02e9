/**
 * A button with a menu, built on the browser's popover, which closes on Escape or a click outside,
 * restores the focus and needs no script for stacking.
 */
import { UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import classes from './popover-menu.module.css';

export function PopoverMenu({
  trigger,
  position,
  children,
}: {
  /** The content of the button. */
  readonly trigger: ReactNode;
  /** `top` opens below the button at the top of the sidebar, `bottom` above the one at its end. */
  readonly position: 'top' | 'bottom';
  readonly children: ReactNode;
}): ReactNode {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  return (
    <>
      <UnstyledButton className={classes.trigger ?? ''} popoverTarget={id}>
        {trigger}
      </UnstyledButton>
      {/** biome-ignore lint/a11y/noStaticElementInteractions: arrow keys of its items */}
      <div
        ref={panel}
        id={id}
        popover="auto"
        className={`${classes.panel} ${position === 'top' ? classes.top : classes.bottom}`}
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

export function PopoverItem({
  icon,
  end,
  children,
  onClick,
}: {
  readonly icon?: ReactNode;
  readonly end?: ReactNode;
  readonly children: ReactNode;
  onClick(): void;
}): ReactNode {
  return (
    <UnstyledButton className={classes.item ?? ''} onClick={onClick}>
      {icon}
      <span className={classes.label}>{children}</span>
      {end}
    </UnstyledButton>
  );
}

export function PopoverLabel({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className={classes.heading}>{children}</div>;
}
