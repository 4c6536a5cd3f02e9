/** The bell with the number of unread notices; its panel is loaded when it is first opened. */
import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { BellIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react';
import classes from './notices.module.css';
import { newestNoticesQuery } from './notices-query.ts';

const NoticePanel = lazy(async () => ({
  default: (await import('./notices-page.tsx')).NoticePanel,
}));

const shownMax = 99;

/** From the edge of the window, and between the bell and its panel. */
const gapPixels = 8;

/** On a phone the panel is as wide as the window, and CSS says where it is. */
function placeBelow(bell: HTMLElement, panel: HTMLElement): void {
  const { bottom, left } = bell.getBoundingClientRect();
  const { style } = panel;
  style.setProperty('--bell-bottom', `${bottom + gapPixels}px`);
  style.setProperty('--bell-left', `${left}px`);
}

export function NoticeBell({ className }: { readonly className?: string | undefined }): ReactNode {
  const id = useId();
  const bell = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [openCount, setOpenCount] = useState(0);
  const { data } = useQuery(newestNoticesQuery);
  const unread = data?.unread ?? 0;
  const count = unread > shownMax ? `${shownMax}+` : String(unread);
  return (
    <div className={className}>
      <UnstyledButton ref={bell} className={classes.bell ?? ''} popoverTarget={id}>
        <BellIcon aria-hidden />
        {unread === 0 ? null : (
          <span className={classes.count} aria-hidden>
            {count}
          </span>
        )}
        <VisuallyHidden>{unread === 0 ? 'Notices' : `Notices, ${count} unread`}</VisuallyHidden>
      </UnstyledButton>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className={classes.panel}
        onBeforeToggle={({ newState }) => {
          if (newState === 'open' && bell.current && panel.current) {
            placeBelow(bell.current, panel.current);
          }
        }}
        onToggle={({ newState }) => {
          if (newState === 'open') setOpenCount((opened) => opened + 1);
        }}
      >
        {openCount === 0 ? null : (
          <Suspense>
            <NoticePanel key={openCount} close={() => panel.current?.hidePopover()} />
          </Suspense>
        )}
      </div>
    </div>
  );
}
