import ipaddr from 'ipaddr.js';

/**
 * Whether a machine out there may have this address: everything else (private, loopback, link-local, metadata,
 * carrier's, multicast, reserved, and IPv6 that carries an IPv4 address inside) is ours or nobody's.
 */
export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this machine.
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  const given = parsed.toNormalizedString();
  return parsed.kind() === 'ipv4' ? !cloudServices.has(given) : isGlobalUnicast(given);
}

/** What a provider serves to its own machines from an address that looks like anybody's. */
const cloudServices = new Set(['168.63.129.16']);

/** 2000::/3 is all that was ever given out. */
function isGlobalUnicast(address: string): boolean {
  const first = Number.parseInt(address.split(':')[0] ?? '', 16);
  return first >= 0x2000 && first <= 0x3fff;
}

/** The address that this URL spells out, in whichever way; undefined where it has a name, which must be looked up. */
function literalAddressOf({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** Names that mean this machine without anybody being asked. */
function isLocalName({ hostname }: URL): boolean {
  const name = hostname.toLowerCase().replace(/(?<!\.)\.+$/, '');
  return (
    name === '' || /(?:^|\.)(?:localhost|localdomain|localhost6|ip6-localhost|ip6-loopback)\d*$/.test(name)
  );
}

/** What is wrong with calling this address, as far as can be told from the text alone. */
export function urlFault(text: string, { allowPrivate }: { allowPrivate: boolean }): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (allowPrivate) return undefined;
  const literal = literalAddressOf(url);
  const isOurs = literal === undefined ? isLocalName(url) : !isPublicAddress(literal);
  return isOurs ? 'must not lead to a private or local address' : undefined;
}
