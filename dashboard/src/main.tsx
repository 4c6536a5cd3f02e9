/** The entry point: styles, theme, query cache, router. */
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './shell/page.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRouter, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { dashboardPath } from './api/base-path.ts';
import { clearPersonalData, connectClient, queryClient } from './api/client.ts';
import { onConnectionRecovered } from './api/connection.ts';
import { PageSkeleton } from './components/states.tsx';
import { routeTree } from './routes.tsx';
import { PageError } from './shell/route-error.tsx';
import { cssVariables, theme } from './shell/theme.ts';

// The service also serves the dashboard at `/`.
if (!location.pathname.startsWith(dashboardPath)) history.replaceState(null, '', dashboardPath);

const router = createRouter({
  routeTree,
  basepath: dashboardPath,
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  // Each page has its own, so that the shell stays.
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

connectClient({
  onSignedOut: () => {
    const { pathname, href } = router.state.location;
    if (pathname === '/sign-in') return;
    // Leaves the page before its data is cleared.
    void router.navigate({ to: '/sign-in', search: { to: href } }).then(clearPersonalData);
  },
});

onConnectionRecovered(() => void queryClient.invalidateQueries());

// The Content Security Policy applies styles created at run time only with this nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
Object.assign(globalThis, { __webpack_nonce__: nonce });

const element = document.getElementById('root');
if (!element) throw new Error('the page has no place for the dashboard');
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <RouterProvider router={router} />
        <Notifications position="bottom-right" autoClose={6000} />
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
);

// Removes the inline styles of `first-paint.js`, which would override a change of theme.
requestAnimationFrame(() =>
  requestAnimationFrame(() => document.documentElement.removeAttribute('style')),
);
