/**
 * The path that the service is published under, derived from the URL of this file: in `assets/` of
 * a build, in `src/api/` of the development server.
 */
const dashboard = new URL(import.meta.url).pathname.replace(/(assets|src\/api)\/[^/]*$/, '');

/** Below it are the pages: `/dashboard`, or `/vidgen/dashboard` behind a proxy with a path. */
export const dashboardPath = dashboard.replace(/\/$/, '');

/** Before every endpoint: empty, or `/vidgen`. */
export const servicePath = dashboardPath.replace(/\/dashboard$/, '');

/** What people put into their programs. */
export const serviceUrl = `${location.origin}${servicePath}`;
