/** A link to the notices of the signed-in person, with the number of unread ones. */
import { VisuallyHidden } from '@mantine/core';
import { BellIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ListNoticesResponse } from '@vidgen/contract/notices.ts';
import { polled } from '../api/client.ts';
import classes from './notices.module.css';

const shownMax = 99;

export const unreadQuery = polled<ListNoticesResponse>('/notices', 120_000, { limit: 1 });

export function NoticeBell({ className = '' }: { readonly className?: string }) {
  const unread = useQuery(unreadQuery).data?.unread ?? 0;
  const count = unread > shownMax ? `${shownMax}+` : String(unread);
  return (
    <Link to="/notices" className={`${classes.bell} ${className}`}>
      <BellIcon aria-hidden />
      {unread === 0 ? null : (
        <span className={classes.count} aria-hidden>
          {count}
        </span>
      )}
      <VisuallyHidden>{unread === 0 ? 'Notices' : `Notices, ${count} unread`}</VisuallyHidden>
    </Link>
  );
}
