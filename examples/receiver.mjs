/**
 * An example webhook receiver. It verifies the signature of every webhook with `node:crypto` alone,
 * and serves an image as a material for tasks.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const port = Number(process.env.RECEIVER_PORT ?? 8788);
const secret = process.env.WEBHOOK_SECRET ?? (await demoSecret());
const image = readFileSync(new URL('picture.jpg', import.meta.url));
/** Webhooks are delivered at least once; a repeated one is acknowledged and ignored. */
const seen = new Set();

const server = createServer(async (request, response) => {
  if (request.method === 'GET' && request.url === '/picture.jpg') {
    print('served the picture');
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image);
    return;
  }
  if (request.method !== 'POST') return void response.writeHead(404).end();
  const body = await bodyOf(request);
  if (!isValidSignature(request.headers, body)) {
    print('rejected a webhook with an invalid signature');
    response.writeHead(401).end();
    return;
  }
  const { id, status, data } = JSON.parse(body);
  // A real receiver stores the webhook before it responds.
  response.writeHead(200).end();
  if (seen.has(id)) return;
  seen.add(id);
  print(`verified ${id} ${status} ${data.results?.[0] ?? data.failed_reason}`);
});
server.listen(port, '127.0.0.1', () => {
  const { port: actualPort } = /** @type {import('node:net').AddressInfo} */ (server.address());
  print(`listening on http://127.0.0.1:${actualPort}`);
});

/**
 * Standard Webhooks: one of the signatures is the HMAC-SHA-256 of `id.timestamp.body`, and the
 * timestamp is at most five minutes off. The body is verified unparsed, byte for byte.
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} body
 */
function isValidSignature(headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const expected = Buffer.from(`v1,${digest}`);
  // There are two signatures while the secret is being rotated.
  return String(headers['webhook-signature'])
    .split(' ')
    .map((one) => Buffer.from(one))
    .some(
      (signature) => signature.length === expected.length && timingSafeEqual(signature, expected),
    );
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<string>}
 */
async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/**
 * Reads the secret of the demo account with the admin token. For local tests only: a real receiver
 * is configured with its secret and has no admin token.
 * @returns {Promise<string>}
 */
async function demoSecret() {
  const { VIDGEN_URL: base = 'http://127.0.0.1:8787', VIDGEN_HOME: home } = process.env;
  const ownHome = new URL('../.vidgen/admin-token', import.meta.url);
  try {
    const token = readFileSync(home ? `${home}/admin-token` : ownHome, 'utf8').trim();
    const get = async (/** @type {string} */ path) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(base + path, { headers, redirect: 'error' });
      return await response.json();
    };
    /** @type {{ items: { id: string, demo: boolean }[] }} */
    const { items } = await get('/admin/accounts?limit=100');
    const account = items.find(({ demo }) => demo);
    if (!account) throw new Error('there is none');
    return (await get(`/admin/accounts/${account.id}`)).webhook_secret;
  } catch {
    print(`No demo account at ${base}; start vidgen first, or set WEBHOOK_SECRET`);
    process.exit(1);
  }
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
