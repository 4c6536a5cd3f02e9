/** The logo. */
import type { ReactNode } from 'react';

export function Logo({ size = 24 }: { readonly size?: number }): ReactNode {
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
