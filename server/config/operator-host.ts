/**
 * Hosts that operators and administrators chose: providers, the OpenID provider, the object store,
 * the mail server, the collector of traces. They may be in private networks, but never at the
 * metadata service of a cloud, which returns credentials. That is judged by what is dialed: the
 * name may resolve to another address than when it was written.
 */
import dns from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const metadataAddresses = new BlockList();
metadataAddresses.addSubnet('169.254.0.0', 16, 'ipv4');
metadataAddresses.addSubnet('fe80::', 10, 'ipv6');
// 169.254.0.0/16 through NAT64 and 6to4, and as an IPv4-compatible address.
for (const network of ['64:ff9b::a9fe:0', '::a9fe:0'])
  metadataAddresses.addSubnet(network, 112, 'ipv6');
metadataAddresses.addSubnet('2002:a9fe::', 32, 'ipv6');
// Amazon over IPv6, Alibaba, Oracle, Azure.
metadataAddresses.addAddress('fd00:ec2::254', 'ipv6');
for (const address of ['100.100.100.200', '192.0.0.192', '168.63.129.16']) {
  metadataAddresses.addAddress(address, 'ipv4');
}

/** `host`: a name or an IP address without brackets, as in a URL. */
export function isMetadataHost(host: string): boolean {
  if (/^(metadata(\.google\.internal)?|instance-data(\.ec2\.internal)?)\.?$/.test(host))
    return true;
  return isMetadataAddress(host);
}

export function isMetadataAddress(text: string): boolean {
  const [address = ''] = text.split('%');
  const family = isIP(address);
  return family !== 0 && metadataAddresses.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Of providers, which are called again and again; the list above takes longer to ask. */
const allowedHosts = new Set<string>();
const allowedHostsMax = 1000;

/** Throws for an IP address, which a connection does not look up. */
export function requireOperatorHost(host: string): void {
  if (allowedHosts.has(host)) return;
  if (isMetadataHost(host.replace(/^\[|\]$/g, ''))) throw forbidden(host);
  if (allowedHosts.size >= allowedHostsMax) allowedHosts.clear();
  allowedHosts.add(host);
}

/** The `lookup` of a connection. One forbidden address rejects the name. */
export const lookupOperatorHost: LookupFunction = (name, options, callback) => {
  dns.lookup(name, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    if (addresses.some(({ address }) => isMetadataAddress(address))) {
      return callback(forbidden(name), []);
    }
    const { address, family } = addresses[0]!;
    if (options.all) callback(null, addresses);
    else callback(null, address, family);
  });
};

const forbidden = (host: string): Error => {
  const message = `${host} has a link-local address, which is not allowed`;
  return Object.assign(new Error(message), { code: 'ELINKLOCAL' });
};
