/**
 * Pages in docs/ that are generated from the code, so that they cannot disagree with it:
 * docs/settings.md from .env.example, which a test compares with server/config.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tree.ts';

export type GeneratedPage = { readonly path: string; readonly text: string };

export function generatedPages(): GeneratedPage[] {
  const settings = readFileSync(join(root, '.env.example'), 'utf8');
  return [{ path: 'docs/settings.md', text: settingsPage(settings) }];
}

/** A block of .env.example is a comment, then the settings it describes. */
export function settingsPage(envExample: string): string {
  const rows = envExample.split('\n\n').flatMap((block) => {
    const lines = block.trim().split('\n');
    const settings = lines.flatMap((line) => [...line.matchAll(/^# ([A-Z][A-Z_]*)=(.*)$/g)]);
    if (settings.length === 0) return [];
    const description = lines
      .filter((line) => !/^# [A-Z][A-Z_]*=/.test(line))
      .map((line) => line.replace(/^# ?/, ''))
      .join(' ');
    const names = settings.map(([, name]) => `\`${name}\``).join(', ');
    const defaults = settings.flatMap(([, , value]) => (value ? [`\`${value}\``] : [])).join(', ');
    return [`| ${names} | ${defaults} | ${description} |`];
  });
  return `# Settings

<!-- Generated from .env.example by \`npm run docs\`. -->

All settings are environment variables, and all are optional. A wrong setting stops the start, and
all wrong settings are reported. Durations are written \`500ms\`, \`90s\`, \`15m\`, \`24h\` or
\`7d\`. Providers, routes, prices and top-ups are in \`vidgen.config.ts\`; see
[providers.md](providers.md).

| Setting | Default | Meaning |
|---|---|---|
${rows.join('\n')}
`;
}
