/** The dashboard begins: styles, theme, what is known, and the page that the address names. */
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.layer.css';
import './shell/page.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRouter, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { dashboardPath } from './api/base-path.ts';
import { connectClient } from './api/client.ts';
import { queryClient } from './api/query-client.ts';
import { PageSkeleton } from './components/skeletons.tsx';
import { routeTree } from './routes.tsx';
import { LazyToasts } from './shell/lazy.tsx';
import { cssVariables, theme } from './shell/theme.ts';

// The bare address of the service shows the dashboard too.
if (!location.pathname.startsWith(dashboardPath)) history.replaceState(null, '', dashboardPath);

const router = createRouter({
  routeTree,
  basepath: dashboardPath,
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
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
    // First away from what shows the old, then forget it.
    void router.navigate({ to: '/sign-in', search: { to: href } }).then(() => queryClient.clear());
  },
});

// Styles made while the page runs carry the nonce that the service put in, or are not applied.
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
        <LazyToasts />
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
);

// What `first-paint.js` set by hand would outlast a change of theme: the styles have taken over.
requestAnimationFrame(() =>
  requestAnimationFrame(() => document.documentElement.removeAttribute('style')),
);
