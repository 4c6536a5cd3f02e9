/**
 * Checks of a webhook's signature, without packages, from its headers and its raw body. The secret
 * is read from an environment variable.
 */
import type { Snippet } from '../components/highlight.ts';

const typescript = `import { createHmac, timingSafeEqual } from 'node:crypto';

const secret = Buffer.from(process.env.WEBHOOK_SECRET!.replace('whsec_', ''), 'base64');

/** \`body\` is the raw body: JSON that was parsed and written again has other bytes. */
export function isValid(headers: Record<string, string>, body: string): boolean {
  const timestamp = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const content = \`\${headers['webhook-id']}.\${timestamp}.\${body}\`;
  const expected = Buffer.from('v1,' + createHmac('sha256', secret).update(content).digest('base64'));
  // While the secret is being rotated there are two signatures.
  return headers['webhook-signature']!
    .split(' ')
    .map((signature) => Buffer.from(signature))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
`;

const python = `import base64, hashlib, hmac, os, time

secret = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def is_valid(headers, body):
    """\`body\` is the raw body, as bytes."""
    timestamp = headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        return False
    content = f"{headers['webhook-id']}.{timestamp}.".encode() + body
    digest = hmac.new(secret, content, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    # While the secret is being rotated there are two signatures.
    given = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(signature, expected) for signature in given)
`;

export const verifySnippets: readonly Snippet[] = [
  { name: 'TypeScript', language: 'typescript', code: typescript },
  { name: 'Python', language: 'python', code: python },
];
