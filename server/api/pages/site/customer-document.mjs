/** Splits the OpenAPI document into what customers call and what administrators call. */

const adminTags = new Set(['Admin', 'People', 'Service']);

const adminDescription = `
Endpoints for operators of this installation: accounts, keys, credits, people, providers and
monitoring. Send the admin token as \`Authorization: Bearer <ADMIN_TOKEN>\`, or call them with the
session of a person who is signed in to the dashboard.`;

/**
 * @typedef {{ tags?: string[] }} Operation
 * @typedef {{ tags: { name: string }[], info: { title: string, description: string },
 *   paths: Record<string, Record<string, Operation>>, webhooks?: unknown }} ApiDocument
 */

/** @param {ApiDocument} whole @param {{ isAdmin: boolean }} options @returns {ApiDocument} */
export function documentFor(whole, { isAdmin }) {
  const isShown = (/** @type {string} */ tag) => adminTags.has(tag) === isAdmin;
  const paths = Object.entries(whole.paths).flatMap(([path, operations]) => {
    const shown = Object.entries(operations).filter(([, { tags = [] }]) => tags.some(isShown));
    return shown.length > 0 ? [[path, Object.fromEntries(shown)]] : [];
  });
  const { webhooks, ...rest } = whole;
  return {
    ...rest,
    info: {
      ...whole.info,
      title: isAdmin ? 'Admin API' : 'API reference',
      description: isAdmin ? adminDescription : whole.info.description,
    },
    ...(isAdmin ? {} : { webhooks }),
    tags: whole.tags.filter(({ name }) => isShown(name)),
    paths: Object.fromEntries(paths),
  };
}

/**
 * Whether a fragment such as `#tag/admin/get/…` names an endpoint for administrators.
 * @param {string} hash
 */
export function isAdminFragment(hash) {
  const [, tag = ''] = /^#tag\/([a-z]+)/.exec(hash) ?? [];
  return [...adminTags].some((name) => name.toLowerCase() === tag);
}
