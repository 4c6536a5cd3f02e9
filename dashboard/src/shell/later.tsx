/** Parts of the shell that most visits never show: loaded when they are first wanted. */
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { connectClient } from '../api/client.ts';
import { useToastsWanted } from '../components/announce.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const PasswordDialog = lazy(async () => ({
  default: (await import('./password-dialog.tsx')).PasswordDialog,
}));
const LazyToasts = lazy(async () => ({ default: (await import('./toasts.tsx')).Toasts }));

/** `openings` counts how often it was asked for. */
export function LaterPalette({ openings }: { readonly openings: number }): ReactNode {
  return openings === 0 ? null : (
    <Suspense>
      <Palette openings={openings} />
    </Suspense>
  );
}

/** Takes the client's question for the password, and puts it to the person. */
export function LaterPasswordDialog(): ReactNode {
  const [waiting, setWaiting] = useState<readonly ((confirmed: boolean) => void)[]>([]);
  const [wasWanted, setWanted] = useState(false);
  useEffect(() => {
    connectClient({
      confirmPassword: () =>
        new Promise((resolve) => {
          setWaiting((others) => [...others, resolve]);
          setWanted(true);
        }),
    });
  }, []);
  const settle = (confirmed: boolean) => {
    for (const resolve of waiting) resolve(confirmed);
    setWaiting([]);
  };
  return wasWanted ? (
    <Suspense>
      <PasswordDialog opened={waiting.length > 0} settle={settle} />
    </Suspense>
  ) : null;
}

export function LaterToasts(): ReactNode {
  return useToastsWanted() ? (
    <Suspense>
      <LazyToasts />
    </Suspense>
  ) : null;
}
