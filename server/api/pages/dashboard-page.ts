/**
 * The dashboard's page, the same at `/`, `/dashboard` and every path below it. Its content security
 * policy allows scripts and requests of this service only.
 */
import { randomBytes } from 'node:crypto';
import { endpoint } from '../http/endpoint.ts';
import type { ParsedDefinition } from '../http/endpoint-definition.ts';
import { routeNotFound } from '../http/error-response.ts';
import type { ApiResponse } from '../http/handler.ts';
import { builtFileResponse, currentBuild } from './dashboard-build.ts';

const definition: ParsedDefinition<undefined, undefined> = {
  operationId: 'dashboard',
  method: 'GET',
  path: '/dashboard',
  summary: 'Open the dashboard',
  auth: 'none',
  hidden: true,
  allowsHead: true,
  responses: { 200: { description: 'A page for people.', contentType: 'text/html' } },
  async handler({ presignResult, openedStorage }, request) {
    const build = currentBuild();
    const path = request.params['*'];
    const file = path === undefined ? undefined : build?.files.get(path);
    if (file) return await builtFileResponse(file, request, 'no-cache');
    if (path?.startsWith('assets/')) throw routeNotFound();
    if (!build) return notBuiltPage();
    const nonce = randomBytes(16).toString('base64');
    const text = build.page
      .replaceAll('"./', `"${pathToRoot(path)}`)
      .replace('name="style-nonce" content=""', `name="style-nonce" content="${nonce}"`);
    const media = presignResult && openedStorage.publicOrigin;
    return { text, headers: pageHeaders(`'self' 'nonce-${nonce}'`, "'self'", media) };
  },
};

export const dashboard = endpoint(definition);
export const startPage = endpoint({
  ...definition,
  operationId: 'startPage',
  path: '/',
  summary: 'Redirect to the dashboard',
});
export const dashboardPage = endpoint({
  ...definition,
  operationId: 'dashboardPage',
  path: '/dashboard/*',
});

/** The relative path from the page to `/dashboard/`. */
function pathToRoot(path: string | undefined): string {
  return path === undefined ? 'dashboard/' : '../'.repeat(path.split('/').length - 1);
}

/** `media` is the origin that results are redirected to, if they are. */
function pageHeaders(
  styles: string,
  scripts: string,
  media: string | null = null,
): Record<string, string> {
  const redirected = media === null ? '' : ` ${media}`;
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${scripts}`,
      `style-src ${styles}`,
      `img-src 'self' data: blob:${redirected}`,
      `media-src 'self' blob:${redirected}`,
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}

/** Shown when the service was started without `npm start`. */
function notBuiltPage(): ApiResponse {
  const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>vidgen</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"></head>
<body><main><h1>vidgen</h1>
<p>The video generation service is running here. Its dashboard has not been built yet:
<code>npm start</code> builds it and starts the service.</p>
<p><a href="/docs">The reference</a> works without it.</p>
</main></body></html>`;
  return { text, headers: pageHeaders("'none'", "'none'") };
}
