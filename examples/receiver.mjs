/**
 * A receiver to try vidgen with on one machine: it verifies the signature of every webhook call
 * with nothing but `node:crypto`, and serves a picture that a video can be made of.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const port = Number(process.env.RECEIVER_PORT ?? 8788);
const secret = process.env.WEBHOOK_SECRET ?? (await demoSecret());
const picture = readFileSync(new URL('picture.jpg', import.meta.url));
/** Calls come at least once: a task seen before is answered 200, and not acted upon again. */
const seen = new Set();

const server = createServer(async (request, answer) => {
  if (request.method === 'GET' && request.url === '/picture.jpg') {
    say('served the picture');
    answer.writeHead(200, { 'content-type': 'image/jpeg' }).end(picture);
    return;
  }
  if (request.method !== 'POST') return void answer.writeHead(404).end();
  const body = await bodyOf(request);
  if (!isGenuine(request.headers, body)) {
    say('refused a call whose signature is not good');
    answer.writeHead(401).end();
    return;
  }
  const { id, status, data } = JSON.parse(body);
  // A real receiver writes the call down here, and only then answers.
  answer.writeHead(200).end();
  if (seen.has(id)) return;
  seen.add(id);
  say(`verified ${id} ${status} ${data.results?.[0] ?? data.failed_reason}`);
});
server.listen(port, '127.0.0.1', () => {
  const { port: found } = /** @type {import('node:net').AddressInfo} */ (server.address());
  say(`listening on http://127.0.0.1:${found}`);
});

/**
 * Standard Webhooks: one of the signatures is the HMAC-SHA-256 of `id.timestamp.body`, and the call
 * is not older than five minutes. The body is taken as it came: parsing comes after.
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} body
 */
function isGenuine(headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const own = Buffer.from(`v1,${digest}`);
  // There are two signatures while a secret is being rotated.
  return String(headers['webhook-signature'])
    .split(' ')
    .map((one) => Buffer.from(one))
    .some((given) => given.length === own.length && timingSafeEqual(given, own));
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
 * Only for trying out: whoever runs vidgen may look at the secret of its demo account. A receiver
 * in earnest is given its secret, and has no business with the admin token.
 * @returns {Promise<string>}
 */
async function demoSecret() {
  const { VIDGEN_URL: base = 'http://127.0.0.1:8787', VIDGEN_HOME: home } = process.env;
  const ownHome = new URL('../.vidgen/admin-token', import.meta.url);
  try {
    const token = readFileSync(home ? `${home}/admin-token` : ownHome, 'utf8').trim();
    const get = async (/** @type {string} */ path) => {
      const answer = await fetch(base + path, { headers: { authorization: `Bearer ${token}` } });
      return await answer.json();
    };
    /** @type {{ items: { id: string, demo: boolean }[] }} */
    const { items } = await get('/admin/accounts?limit=100');
    const account = items.find(({ demo }) => demo);
    if (!account) throw new Error('there is none');
    return (await get(`/admin/accounts/${account.id}`)).webhook_secret;
  } catch {
    say(`No demo account at ${base}: start vidgen first, or give WEBHOOK_SECRET`);
    process.exit(1);
  }
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}
