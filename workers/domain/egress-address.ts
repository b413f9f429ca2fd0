import ipaddr from 'ipaddr.js';

/**
 * Whether the address is public. Private, loopback, link-local, metadata, carrier-grade NAT, multicast and reserved
 * addresses are not, nor IPv6 addresses that embed an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this machine.
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  const normalized = parsed.toNormalizedString();
  return parsed.kind() === 'ipv4' ? !cloudServices.has(normalized) : isGlobalUnicast(normalized);
}

/** Services of cloud providers for their own machines, on addresses that look public. */
const cloudServices = new Set(['168.63.129.16']);

/** Only 2000::/3 is allocated for global unicast. */
function isGlobalUnicast(address: string): boolean {
  const first = Number.parseInt(address.split(':')[0] ?? '', 16);
  return first >= 0x2000 && first <= 0x3fff;
}

/** The IP address in this URL, in any notation; undefined for a host name, which must be resolved. */
function literalAddressOf({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** Names that resolve to this machine without DNS. */
function isLocalName({ hostname }: URL): boolean {
  const name = hostname.toLowerCase().replace(/(?<!\.)\.+$/, '');
  return (
    name === '' || /(?:^|\.)(?:localhost|localdomain|localhost6|ip6-localhost|ip6-loopback)\d*$/.test(name)
  );
}

const LOCAL_ADDRESS =
  'must not lead to a private or local address (EGRESS_ALLOW_PRIVATE=true allows them, for development)';

/** Why this URL must not be called, as far as the text alone tells. */
export function urlErrorOf(text: string, { allowPrivate }: { allowPrivate: boolean }): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (allowPrivate) return undefined;
  const literal = literalAddressOf(url);
  const isOurs = literal === undefined ? isLocalName(url) : !isPublicAddress(literal);
  return isOurs ? LOCAL_ADDRESS : undefined;
}
