/**
 * Connects to configured providers and to the public URL. Nothing is sent to a provider, so that a
 * check can neither cost anything nor count against a limit there.
 */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Finding } from '@vidgen/contract/admin-doctor.ts';
import { monotonicMs, startDeadline } from '../clock.ts';
import { lookupOperatorHost, requireOperatorHost } from '../operator-host.ts';
import { failure, messageOf, ok, warning } from './finding.ts';

const connectMsMax = 5_000;
const healthCharactersMax = 10_000;

export type Target = { readonly name: string; readonly url: string };

export async function checkProviders(
  targets: readonly Target[],
  { isServing = false }: { readonly isServing?: boolean } = {},
): Promise<Finding[]> {
  if (targets.length === 0) {
    const message = isServing
      ? 'None is connected; the built-in preview serves every model'
      : 'The configuration file has none; System in the dashboard checks those connected there';
    return [ok('providers', message)];
  }
  return await Promise.all(targets.map(checkProvider));
}

async function checkProvider({ name, url }: Target): Promise<Finding> {
  const { hostname, protocol } = new URL(url);
  const startedMs = monotonicMs();
  try {
    (await connectTo(url)).destroy();
    const milliseconds = (monotonicMs() - startedMs).toFixed(0);
    return ok('providers', `${name}: ${hostname} accepted a connection in ${milliseconds} ms`);
  } catch (error) {
    const remedy =
      protocol === 'https:' && /certificate|self-signed|altname/i.test(messageOf(error))
        ? 'Set NODE_EXTRA_CA_CERTS to the certificate authority of the provider or of your proxy.'
        : 'Check its base URL, DNS and the firewall.';
    return failure('providers', `${name}: ${hostname}: ${messageOf(error)}`, remedy);
  }
}

/** Resolves when the connection is open and its certificate is valid. */
async function connectTo(url: string): Promise<Socket> {
  const { hostname, port, protocol } = new URL(url);
  const isTls = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  requireOperatorHost(host);
  const lookup = lookupOperatorHost;
  const options = { host, port: Number(port) || (isTls ? 443 : 80), lookup };
  using deadline = startDeadline(connectMsMax);
  const socket = isTls
    ? connectTls({ ...options, servername: nameOf(host) })
    : connectPlain(options);
  return await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket));
    deadline.signal.addEventListener('abort', () =>
      socket.destroy(new Error(`no connection after ${connectMsMax / 1000} s`)),
    );
  });
}

/** TLS has no names that are IP addresses. */
const nameOf = (host: string): string => (/^[\d.]+$|:/.test(host) ? '' : host);

/** `isServing`: this process serves the URL, so that no response means that the way there fails. */
export async function checkPublicUrl(
  url: string | null,
  { isServing }: { readonly isServing: boolean },
): Promise<Finding[]> {
  if (url === null) {
    return [
      warning(
        'public URL',
        'VIDGEN_PUBLIC_URL is not set: URLs of results work on this machine only',
        'Set it to the URL under which clients and providers reach this service.',
      ),
    ];
  }
  const remedy = isServing
    ? 'Check DNS, the certificate and the proxy; some networks do not route back to themselves.'
    : 'Start vidgen; if it runs, check DNS, the certificate and the proxy.';
  try {
    const { status, text } = await requestHealth(`${url}/healthz`);
    if (status === 200 && text.includes('"checks"')) {
      return [ok('public URL', `${url} responds`)];
    }
    const message = `${url}/healthz returned ${status}`;
    const isOther = !text.includes('"checks"');
    return [warning('public URL', isOther ? `${message}, not from vidgen` : message, remedy)];
  } catch (error) {
    return [warning('public URL', `${url}: ${messageOf(error)}`, remedy)];
  }
}

async function requestHealth(url: string): Promise<{ status: number; text: string }> {
  // An import of `node:http` also loads undici, 11 MB.
  const { get } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  using deadline = startDeadline(connectMsMax);
  return await new Promise((resolve, reject) => {
    const options = { signal: deadline.signal, agent: false, lookup: lookupOperatorHost };
    get(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text = (text + part).slice(0, healthCharactersMax);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    }).on('error', reject);
  });
}
