import ipaddr from 'ipaddr.js';
import type { AllowedAddress } from '../../platform/allowed-address.ts';
import { type BrokenRule, broken } from '../../platform/field-error.ts';

export interface EgressRules {
  /** Allows all of them, for development. */
  readonly allowPrivate: boolean;
  readonly allowed?: readonly AllowedAddress[] | undefined;
}

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

/** Returns the IP address in this URL, in any notation; undefined for a host name, which must be resolved. */
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

interface Target {
  readonly hostname: string;
  readonly port: number;
}

/** Whether the operator allows this address, which is not public, for this name and port. */
export function isAddressAllowed(
  address: string,
  { hostname, port }: Target,
  allowed: readonly AllowedAddress[] = [],
): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return allowed.some(({ range, name, port: only }) => {
    if (only !== undefined && only !== port) return false;
    if (name !== undefined) return name === nameOf(hostname) && ofNetworks.has(parsed.range());
    const [from, bits] = range ?? ['', 0];
    const network = ipaddr.parse(from);
    return network.kind() === parsed.kind() && parsed.match(network, bits);
  });
}

/** Networks to which a name may resolve. Link-local ones are left out, where clouds offer services to their own machines. */
const ofNetworks = new Set(['private', 'uniqueLocal', 'carrierGradeNat', 'loopback']);

const nameOf = (hostname: string) => hostname.toLowerCase().replace(/\.$/, '');

/** Returns the port, even if the text has none. */
export function portOf({ port, protocol }: { readonly port: string; readonly protocol: string }): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

const LOCAL_ADDRESS = broken('private-address');

/** Returns why this URL must not be called, as far as the text alone tells. */
export function urlErrorOf(
  text: string,
  { allowPrivate, allowed = [] }: EgressRules,
): BrokenRule | undefined {
  if (!URL.canParse(text)) return broken('url');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return broken('url', 'must begin with http:// or https://');
  if (url.username !== '' || url.password !== '') return broken('url-part');
  if (allowPrivate) return undefined;
  const literal = literalAddressOf(url);
  const target = { hostname: url.hostname, port: portOf(url) };
  if (literal !== undefined)
    return isPublicAddress(literal) || isAddressAllowed(literal, target, allowed) ? undefined : LOCAL_ADDRESS;
  const isNamed = allowed.some(
    ({ name, port = target.port }) => name === nameOf(url.hostname) && port === target.port,
  );
  return isLocalName(url) && !isNamed ? LOCAL_ADDRESS : undefined;
}

const HIGH_PORTS_FROM = 1_024;

/** Returns why events must not be sent to this URL, as far as the text alone tells. */
export function webhookUrlErrorOf(text: string, rules: EgressRules): BrokenRule | undefined {
  const error = urlErrorOf(text, rules);
  if (error) return error;
  const { port, hash } = new URL(text);
  if (hash !== '') return broken('url-part', 'must not hold a fragment');
  const isUsual = port === '' || port === '80' || port === '443' || Number(port) >= HIGH_PORTS_FROM;
  return isUsual ? undefined : broken('url-port');
}
