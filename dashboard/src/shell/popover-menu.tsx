/**
 * A button and what it unfolds, by the browser's own popover: it closes by Escape or a click beside
 * it, hands the focus back, and needs no code of ours to lie on top.
 */
import { UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import classes from './popover-menu.module.css';

export function PopoverMenu({
  trigger,
  position,
  children,
}: {
  /** What the button shows. */
  readonly trigger: ReactNode;
  /** Below the button at the top of the navigation, or above the one at its end. */
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
      {/** biome-ignore lint/a11y/noStaticElementInteractions: the keys of what is inside */}
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
