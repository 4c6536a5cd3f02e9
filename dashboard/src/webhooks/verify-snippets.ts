/** Checks the signature of a webhook from its headers and its raw body, without packages. */
import type { Snippet } from '../components/highlight.ts';

const typescript = `import { createHmac, timingSafeEqual } from 'node:crypto';

const secret = Buffer.from(process.env.WEBHOOK_SECRET!.replace('whsec_', ''), 'base64');

/** \`body\` is the raw body: JSON that was parsed and written again has other bytes. */
export function isValid(headers: Record<string, string>, body: string): boolean {
  const timestamp = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const content = \`\${headers['webhook-id']}.\${timestamp}.\${body}\`;
  const digest = createHmac('sha256', secret).update(content).digest('base64');
  const expected = Buffer.from('v1,' + digest);
  // While the secret is being rotated there are two signatures.
  return headers['webhook-signature']!
    .split(' ')
    .map((signature) => Buffer.from(signature))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
`;

export const verifySnippets: readonly Snippet[] = [
  { name: 'TypeScript', language: 'typescript', code: typescript },
];
