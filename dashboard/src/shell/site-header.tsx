/** The links of the header that the dashboard shares with the guides and the API reference. */
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { buildUrl } from '../api/client.ts';
import { Logo } from '../components/logo.tsx';
import classes from './site-header.module.css';

const sites = [
  { path: '/dashboard', label: 'Dashboard' },
  { path: '/guides', label: 'Guides' },
  { path: '/docs', label: 'API reference' },
] as const;

export function Brand(): ReactNode {
  return (
    <Anchor href={buildUrl('/dashboard')} underline="never" className={classes.brand ?? ''}>
      <Logo size={22} />
      vidgen
    </Anchor>
  );
}

export function SiteLinks({ className }: { readonly className?: string }): ReactNode {
  return (
    <nav aria-label="Site" className={`${classes.links} ${className ?? ''}`}>
      {sites.map(({ path, label }) => (
        <a
          key={path}
          href={buildUrl(path)}
          aria-current={path === '/dashboard' ? 'page' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}
