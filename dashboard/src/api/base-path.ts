/** Where the service lies below its host, read off the address this very file came from. */
const dashboard = new URL(import.meta.url).pathname.replace(/assets\/[^/]*$/, '');

/** Below it are the pages: `/dashboard`, or `/vidgen/dashboard` behind a proxy with a path. */
export const dashboardPath = dashboard.replace(/\/$/, '');

/** Before every endpoint: empty, or `/vidgen`. */
export const servicePath = dashboardPath.replace(/\/dashboard$/, '');

/** What people put into their programs. */
export const serviceUrl = `${location.origin}${servicePath}`;
