/** Serves `/llms.txt` in the form of llmstxt.org: a title, a summary, and lists of links. */
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { readGuides, textResponse } from './guides.ts';
import type { Guide } from './guides-page.ts';

export const llmsText = endpoint({
  operationId: 'llmsText',
  method: 'GET',
  path: '/llms.txt',
  summary: 'Get llms.txt',
  description: 'As llmstxt.org describes it: links to every guide and to the OpenAPI document.',
  auth: 'none',
  allowsHead: true,
  responses: { 200: { description: 'Links.', schema: z.string(), contentType: 'text/plain' } },
  async handler({ publicUrl }) {
    const base = publicUrl();
    const guides = await readGuides(base);
    return textResponse(linesOf(base, guides).join('\n'), 'text/plain');
  },
});

function linesOf(base: string, guides: readonly Guide[]): string[] {
  const listed = guides.map(
    ({ name, title, summary }) => `- [${title}](${base}/guides/${name}.md): ${summary}`,
  );
  return [
    '# vidgen',
    '',
    '> A video generation service: create a task from a prompt, images, videos or audio; follow it',
    '> by polling or by a signed webhook; pay in credits that come back when a task fails.',
    '',
    `The interface is served at ${base}. Every request under /v1 carries`,
    '`Authorization: Bearer <API_KEY>`; bodies and responses are JSON. Create with',
    `POST ${base}/v1/videos/generations, follow with GET ${base}/v1/tasks/:id.`,
    'Keys that begin with `vg_test_` cost nothing.',
    '',
    '## Guides',
    '',
    ...listed,
    '',
    '## Reference',
    '',
    `- [OpenAPI document](${base}/openapi.json): every endpoint, field, rule and error`,
    '',
    '## Programs',
    '',
    `- [Command line](${base}/vidgen.mjs): one file for Node, \`curl -O ${base}/vidgen.mjs\``,
    `- [Provider for the AI SDK](${base}/vidgen-ai-sdk.mjs): one file for the package \`ai\` 7`,
    '',
    '## Optional',
    '',
    `- [Reference page](${base}/docs): the same document, for people`,
    '',
  ];
}
