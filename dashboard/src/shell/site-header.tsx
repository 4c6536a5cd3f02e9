/** The links of the header that the dashboard shares with the guides and the API reference. */
import { Anchor } from '@mantine/core';
import { buildUrl } from '../api/client.ts';
import classes from './site-header.module.css';

const sites = [
  { path: '/dashboard', label: 'Dashboard' },
  { path: '/guides', label: 'Guides' },
  { path: '/docs', label: 'API reference' },
] as const;

export function Brand() {
  return (
    <Anchor href={buildUrl('/dashboard')} underline="never" className={classes.brand ?? ''}>
      <Logo size={22} />
      vidgen
    </Anchor>
  );
}

export function SiteLinks({ className }: { readonly className?: string }) {
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

/** The logo. */
export function Logo({ size = 24 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#5b5bd6" />
      <path
        d="M9 9.5 16 23l7-13.5"
        fill="none"
        stroke="#fff"
        strokeWidth="3.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="16" cy="9.8" r="2.1" fill="#fff" />
    </svg>
  );
}
