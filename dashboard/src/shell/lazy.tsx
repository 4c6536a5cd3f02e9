/** Parts of the shell that are loaded when they are first used. */
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { connectClient } from '../api/client.ts';
import { useToastsMounted } from '../components/toast.ts';

const CommandPalette = lazy(async () => ({
  default: (await import('./command-palette.tsx')).CommandPalette,
}));
const PasswordDialog = lazy(async () => ({
  default: (await import('./password-dialog.tsx')).PasswordDialog,
}));
const Toasts = lazy(async () => ({ default: (await import('./toasts.tsx')).Toasts }));

/** `openCount` grows each time the palette is to open. */
export function LazyCommandPalette({ openCount }: { readonly openCount: number }): ReactNode {
  return openCount === 0 ? null : (
    <Suspense>
      <CommandPalette openCount={openCount} />
    </Suspense>
  );
}

/** Shows the dialog when the client needs the password. */
export function LazyPasswordDialog(): ReactNode {
  const [waiting, setWaiting] = useState<readonly ((confirmed: boolean) => void)[]>([]);
  const [wasOpened, setOpened] = useState(false);
  useEffect(() => {
    connectClient({
      confirmPassword: () =>
        new Promise((resolve) => {
          setWaiting((others) => [...others, resolve]);
          setOpened(true);
        }),
    });
  }, []);
  const settle = (confirmed: boolean) => {
    for (const resolve of waiting) resolve(confirmed);
    setWaiting([]);
  };
  return wasOpened ? (
    <Suspense>
      <PasswordDialog opened={waiting.length > 0} settle={settle} />
    </Suspense>
  ) : null;
}

export function LazyToasts(): ReactNode {
  return useToastsMounted() ? (
    <Suspense>
      <Toasts />
    </Suspense>
  ) : null;
}
