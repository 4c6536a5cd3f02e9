/** The mail server of `VIDGEN_SMTP_URL`, and email addresses. */

export type SmtpSettings = {
  readonly host: string;
  readonly port: number;
  /** `implicit`: from the first byte. `optional`: if the server offers it, without verification. */
  readonly tls: 'implicit' | 'required' | 'optional' | 'off';
  readonly auth: { readonly user: string; readonly pass: string } | null;
};

const defaultPorts = { 'smtp:': 587, 'smtps:': 465 } as const;

/** `smtp://` requires STARTTLS unless the host is this machine or the URL has `?tls=off`. */
export function parseSmtpUrl(text: string): SmtpSettings {
  const url = new URL(text);
  const { protocol, searchParams, pathname, hash } = url;
  if (protocol !== 'smtp:' && protocol !== 'smtps:') throw new Error('must start with smtp://');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new Error('must name a host');
  if (!['', '/'].includes(pathname) || hash !== '') throw new Error('must have no path');
  const unknown = [...searchParams.keys()].find((name) => name !== 'tls');
  if (unknown !== undefined) throw new Error(`has an unknown parameter: ${unknown}`);
  const tls = searchParams.get('tls');
  if (tls !== null && (tls !== 'off' || protocol === 'smtps:')) {
    throw new Error('takes tls=off with smtp:// only');
  }
  const user = decodeURIComponent(url.username);
  const pass = decodeURIComponent(url.password);
  if ((user === '') !== (pass === '')) throw new Error('must have both user and password, or none');
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  const unsecured = tls === 'off' ? 'off' : isLocal ? 'optional' : 'required';
  return {
    host,
    port: url.port === '' ? defaultPorts[protocol] : Number(url.port),
    tls: protocol === 'smtps:' ? 'implicit' : unsecured,
    auth: user === '' ? null : { user, pass },
  };
}

/**
 * One mailbox that can be put into SMTP and a header: no quoted local parts, comments, lists or
 * groups, which parsers read differently.
 */
const addressPattern = /^[^\s@"(),:;<>[\]\\\p{C}]{1,64}@[^\s@"(),:;<>[\]\\\p{C}]{1,189}$/u;

export const isMailAddress = (text: string): boolean => addressPattern.test(text);

export type Sender = { readonly name: string; readonly address: string };

/** Reads `vidgen <no-reply@example.com>`, or the address alone; null if it is neither. */
export function parseSender(text: string): Sender | null {
  const named = /^([^<>\p{C}]{0,100})<([^<>]{1,260})>$/u.exec(text);
  const address = (named?.[2] ?? text).trim();
  const name = (named?.[1] ?? '').trim().replace(/^"(.*)"$/, '$1');
  return isMailAddress(address) ? { name: name || 'vidgen', address } : null;
}
