/** Splits the OpenAPI document into what customers call and what administrators call. */

const customerTags = new Set([
  ...['Videos', 'Tasks', 'Webhooks', 'Files', 'Account'],
  ...['OpenAI', 'OpenRouter', 'Replicate', 'ModelArk', 'MCP'],
]);

const adminDescription = `
Run this installation: accounts, keys, credits, people, providers and monitoring.

## Authentication

Send the admin token as \`Authorization: Bearer <ADMIN_TOKEN>\`. It is the setting
\`VIDGEN_ADMIN_TOKEN\`, or in the file \`admin-token\` that the first start names.

The dashboard calls the same endpoints with the session of the person who is signed in. What a
person may do depends on their role in the account: \`viewer\`, \`developer\` or \`owner\`. An
administrator may do everything.`;

/**
 * @typedef {{ tags?: string[] }} Operation
 * @typedef {{ tags: { name: string }[], info: { title: string, description: string },
 *   'x-tagGroups': { name: string, tags: string[] }[],
 *   paths: Record<string, Record<string, Operation>>, webhooks?: unknown,
 *   components: { schemas: Record<string, unknown>, securitySchemes: Record<string, unknown> }
 *   }} ApiDocument
 */

/** @param {ApiDocument} marked @param {{ isAdmin: boolean }} options @returns {ApiDocument} */
export function documentFor(marked, { isAdmin }) {
  const whole = withoutFieldMarks(marked);
  const isShown = (/** @type {string} */ tag) => customerTags.has(tag) !== isAdmin;
  const paths = Object.entries(whole.paths).flatMap(([path, operations]) => {
    const shown = Object.entries(operations).filter(([, { tags = [] }]) => tags.some(isShown));
    return shown.length > 0 ? [[path, Object.fromEntries(shown)]] : [];
  });
  const { webhooks, ...rest } = whole;
  const { schemas, securitySchemes } = whole.components;
  const roots = { paths: Object.fromEntries(paths), ...(isAdmin ? {} : { webhooks }) };
  return {
    ...rest,
    ...roots,
    info: {
      ...whole.info,
      title: isAdmin ? 'Admin API' : 'API reference',
      description: isAdmin ? adminDescription : whole.info.description,
    },
    tags: whole.tags.filter(({ name }) => isShown(name)),
    'x-tagGroups': whole['x-tagGroups'].filter(({ tags }) => tags.every(isShown)),
    components: {
      ...whole.components,
      schemas: usedSchemas(roots, schemas),
      securitySchemes: Object.fromEntries(
        Object.entries(securitySchemes).filter(([name]) => (name === 'apiKey') !== isAdmin),
      ),
    },
  };
}

/**
 * The document marks every field that is an extension. On the page, only endpoints have a badge.
 * @param {ApiDocument} document @returns {ApiDocument}
 */
function withoutFieldMarks(document) {
  const mark = '"description":"Extension. ';
  return JSON.parse(JSON.stringify(document).replaceAll(mark, '"description":"'));
}

/**
 * The schemas that the endpoints use, directly or through others.
 * @param {unknown} roots @param {Record<string, unknown>} schemas
 */
function usedSchemas(roots, schemas) {
  const used = new Set();
  const waiting = [roots];
  for (const value of waiting) {
    const names = JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
    for (const [, name = ''] of names) {
      if (used.has(name)) continue;
      used.add(name);
      waiting.push(schemas[name]);
    }
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}

/**
 * Whether a fragment such as `#tag/accounts/get/…` names an endpoint for administrators.
 * @param {string} hash
 */
export function isAdminFragment(hash) {
  const [, tag] = /^#tag\/([a-z-]+)/.exec(hash) ?? [];
  return tag !== undefined && ![...customerTags].some((name) => name.toLowerCase() === tag);
}
