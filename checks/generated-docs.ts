/**
 * Pages in docs/ that are generated from the code, so that they cannot disagree with it:
 * docs/settings.md from .env.example, which a test compares with server/config/config.ts, and
 * docs/admin-api.md from the endpoints.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoint } from '../server/api/http/endpoint-definition.ts';
import type { Metrics } from '../server/api/http/metrics.ts';
import { createRoutes } from '../server/api/routes.ts';
import { root } from './tree.ts';

type GeneratedPage = { readonly path: string; readonly text: string };

export function generatedPages(): GeneratedPage[] {
  const settings = readFileSync(join(root, '.env.example'), 'utf8');
  // Metrics are collected by a running service only.
  const endpoints = createRoutes({ metrics: {} as Metrics });
  return [
    { path: 'docs/settings.md', text: settingsPage(settings) },
    { path: 'docs/admin-api.md', text: adminApiPage(endpoints) },
  ];
}

/** A block of .env.example is a comment, then the settings it describes. */
function settingsPage(envExample: string): string {
  const rows = envExample.split('\n\n').flatMap((block) => {
    const lines = block.trim().split('\n');
    const settings = lines.flatMap((line) => [...line.matchAll(/^# ([A-Z][A-Z0-9_]*)=(.*)$/g)]);
    if (settings.length === 0) return [];
    const description = lines
      .filter((line) => !/^# [A-Z][A-Z0-9_]*=/.test(line))
      .map((line) => line.replace(/^# ?/, ''))
      .join(' ');
    const names = settings.map(([, name]) => `\`${name}\``).join(', ');
    const defaults = settings.flatMap(([, , value]) => (value ? [`\`${value}\``] : [])).join(', ');
    return [`| ${names} | ${defaults} | ${description} |`];
  });
  return `# Settings

<!-- Generated from .env.example by \`npm run docs\`. -->

All settings are environment variables, and all are optional. The service and its commands also read
them from a file \`.env\` in the project folder, however they are started; a variable of the
environment wins. A variable that begins with \`VIDGEN_\` and is not a
setting is reported at the start with the nearest known one. A wrong setting stops the start, and
all wrong settings are reported. Durations are written \`500ms\`, \`90s\`, \`15m\`, \`24h\` or
\`7d\`. Providers, routes, prices and top-ups are in \`vidgen.config.ts\`; see
[providers.md](providers.md).

| Setting | Default | Meaning |
|---|---|---|
${rows.join('\n')}
`;
}

/** Endpoints for people and scripts, with the least role of a person who may call them. */
function adminApiPage(endpoints: readonly Endpoint[]): string {
  const listed = endpoints.filter(
    ({ auth, hidden }) => auth !== 'key' && auth !== 'none' && !hidden,
  );
  const ofAccount = (path: string) => path.startsWith('/admin/accounts/:id');
  const table = (chosen: readonly Endpoint[]) =>
    [
      '| Request | Does | Caller |',
      '|---|---|---|',
      ...chosen.map(
        ({ method, path, summary, auth, role }) =>
          `| \`${method} ${path}\` | ${summary} | ${role ?? callers[auth]} |`,
      ),
    ].join('\n');
  const isSession = ({ auth }: Endpoint) => auth === 'person';
  return `${adminApiIntroduction}
## One account

${table(listed.filter(({ path }) => ofAccount(path)))}

## The whole system

${table(listed.filter((endpoint) => !ofAccount(endpoint.path) && !isSession(endpoint)))}

## Sessions of people

For browsers; the admin token is not accepted.

${table(listed.filter(isSession))}
`;
}

const callers: Readonly<Record<Endpoint['auth'], string>> = {
  key: 'API key',
  admin: 'administrator',
  member: 'viewer',
  'signed-in': 'anyone signed in',
  person: 'anyone signed in',
  worker: 'a GPU box',
  none: 'anyone',
};

const adminApiIntroduction = `# Admin API

<!-- Generated from server/api/routes.ts by \`npm run docs\`. -->

Everything the dashboard does, a script can do with the admin token. These endpoints take the token,
or the session of a person with at least the role in the last column. Changes to accounts, keys,
credits and people are recorded in the audit log. Parameters and responses are in the API reference
at \`/docs\`.

Create an account, grant credits, and create a key, which is shown once:

\`\`\`sh
export TOKEN="$(cat .vidgen/admin-token)"
admin() { curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }
admin http://127.0.0.1:8787/admin/accounts -d '{"name": "Paper Boat Studio"}'
export ACCOUNT=…   # the ID in the response
admin http://127.0.0.1:8787/admin/accounts/$ACCOUNT/credits \\
  -d '{"amount": 1000, "mode": "live", "note": "Invoice 17", "reference": "invoice-17"}'
admin http://127.0.0.1:8787/admin/accounts/$ACCOUNT/keys \\
  -d '{"name": "Production", "mode": "live"}'
\`\`\`

Cap what a key spends with \`spend_cap\`; a create beyond it returns 402 with \`required\` and
\`available\` of the cap. \`period\` is \`day\`, \`month\` (in UTC) or \`total\`;
\`POST /admin/keys/:id/spending-cap\` changes or removes it.

\`\`\`sh
admin http://127.0.0.1:8787/admin/accounts/$ACCOUNT/keys \\
  -d '{"name": "Trial", "mode": "live", "spend_cap": {"credits": 500, "period": "month"}}'
\`\`\`
`;
