/**
 * The path that the service is published under, derived from the URL of this file: in `assets/` of
 * a build, in `src/api/` of the development server.
 */

const dashboard = new URL(import.meta.url).pathname.replace(/(assets|src\/api)\/[^/]*$/, '');

/** The path of the pages: `/dashboard`, or `/vidgen/dashboard` behind a proxy with a path. */
export const dashboardPath = dashboard.replace(/\/$/, '');

/** The prefix of every endpoint: empty, or `/vidgen`. */
export const servicePath = dashboardPath.replace(/\/dashboard$/, '');

/** The base URL for programs of customers, as shown in snippets. */
export const serviceUrl = `${location.origin}${servicePath}`;
