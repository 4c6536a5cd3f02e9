/**
 * Connects to configured providers and other servers, and to the public URL and our port. Nothing
 * is sent to others, so that a check can neither cost anything nor count against a limit there.
 */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Finding } from '@vidgen/contract/admin-system.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { lookupOperatorHost, requireOperatorHost } from '../config/operator-host.ts';
import { monotonicMs, startDeadline } from '../process/clock.ts';
import { resolvePort } from '../process/listen.ts';
import { type Area, failure, messageOf, ok, warning } from './finding.ts';

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
  return await Promise.all(targets.map((target) => checkTarget('providers', target)));
}

/** Other servers that settings name: mail, sign-in and traces. */
export async function checkServers(config: Config): Promise<Finding[]> {
  const { smtpUrl, openid, traces } = config;
  const targets = [
    { name: 'VIDGEN_SMTP_URL', url: smtpUrl },
    { name: 'VIDGEN_OIDC_ISSUER', url: openid?.issuer ?? null },
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', url: traces?.url ?? null },
  ];
  return await Promise.all(
    targets.flatMap(({ name, url }) =>
      url === null ? [] : checkTarget('settings', { name, url }),
    ),
  );
}

/** Of a process that does not serve: whether another program would keep it from starting. */
export async function checkPort({ host, port, role }: Config): Promise<Finding[]> {
  if (role === 'worker' || port === 0) return [];
  try {
    await resolvePort({ host, port });
    return [ok('process', `Port ${port} is free; vidgen does not run on it`)];
  } catch (error) {
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
    const origin = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
    const health = await requestHealth(`${origin}/healthz`).catch(() => null);
    if (health?.text.includes('"checks"')) return [ok('process', `vidgen runs on port ${port}`)];
    const message = error instanceof ConfigError ? error.errors.join('; ') : messageOf(error);
    return [failure('process', message, 'Stop the other program, or set PORT and HOST.')];
  }
}

async function checkTarget(area: Area, { name, url }: Target): Promise<Finding> {
  const { hostname, protocol } = new URL(url);
  const startedMs = monotonicMs();
  try {
    (await connectTo(url)).destroy();
    const milliseconds = (monotonicMs() - startedMs).toFixed(0);
    return ok(area, `${name}: ${hostname} accepted a connection in ${milliseconds} ms`);
  } catch (error) {
    const remedy =
      isSecure(protocol) && /certificate|self-signed|altname/i.test(messageOf(error))
        ? 'Set NODE_EXTRA_CA_CERTS to the certificate authority of the server or of your proxy.'
        : 'Check its URL, DNS and the firewall.';
    return failure(area, `${name}: ${hostname}: ${messageOf(error)}`, remedy);
  }
}

/** Resolves when the connection is open and its certificate is valid. */
async function connectTo(url: string): Promise<Socket> {
  const { hostname, port, protocol } = new URL(url);
  const isTls = isSecure(protocol);
  const host = hostname.replace(/^\[|\]$/g, '');
  requireOperatorHost(host);
  const lookup = lookupOperatorHost;
  const options = {
    host,
    port: Number(port) || defaultPorts[protocol as keyof typeof defaultPorts],
    lookup,
  };
  using deadline = startDeadline(connectMsMax);
  const socket = isTls
    ? connectTls({ ...options, servername: serverName(host) })
    : connectPlain(options);
  return await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket));
    deadline.signal.addEventListener('abort', () =>
      socket.destroy(new Error(`no connection after ${connectMsMax / 1000} s`)),
    );
  });
}

const defaultPorts = { 'http:': 80, 'https:': 443, 'smtp:': 587, 'smtps:': 465 } as const;
const isSecure = (protocol: string): boolean => ['https:', 'smtps:'].includes(protocol);

/** TLS has no names that are IP addresses. */
const serverName = (host: string): string => (/^[\d.]+$|:/.test(host) ? '' : host);

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
