import ipaddr from 'ipaddr.js';

/** A private address that may be called: all addresses of a range or of a name, on one port or on any. */
export interface AllowedAddress {
  readonly range?: readonly [address: string, bits: number];
  readonly name?: string;
  readonly port?: number;
}

const target = /^(?<host>\[[^\]]+\]|[^:[\]]+)(?::(?<port>[1-9]\d{0,4}))?$/;
const range = /^(?<first>[^/]+)\/(?<bits>0|[1-9]\d{0,2})$/;

/** Undefined if the text is no such address, or if it would open nothing, or another address than a reader takes it for. */
export function parseAllowed(text: string): AllowedAddress | undefined {
  const { first, bits } = range.exec(text)?.groups ?? {};
  if (first !== undefined) return rangeOf(first, Number(bits));
  if (ipaddr.IPv6.isValid(text)) return rangeOf(text);
  const { host = '', port: digits } = target.exec(text)?.groups ?? {};
  if (Number(digits) > 65_535) return undefined;
  const port = digits === undefined ? {} : { port: Number(digits) };
  const found = host.startsWith('[') ? rangeIn(host.slice(1, -1)) : (rangeOf(host) ?? nameOf(host));
  return found && { ...found, ...port };
}

const rangeIn = (brackets: string) => (ipaddr.IPv6.isValid(brackets) ? rangeOf(brackets) : undefined);

/** The one address, or a range that begins with it. It has no octal or shortened form, as 010.0.0.5 and 1.2.3. */
function rangeOf(first: string, sent?: number): AllowedAddress | undefined {
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(first) || ipaddr.IPv6.isValid(first);
  if (!isAddress || first.includes('%')) return undefined;
  const address = ipaddr.parse(first);
  // The same address as IPv4 is called by that.
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return undefined;
  const all = address.kind() === 'ipv4' ? 32 : 128;
  const bits = sent ?? all;
  if (bits > all) return undefined;
  const network = (address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(
    `${address.toString()}/${bits}`,
  );
  return network.toString() === address.toString() ? { range: [address.toString(), bits] } : undefined;
}

const nameForm =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** A name that the address of a call may have: `URL` makes an address of 10, 10.0.0.300 and 0x7f.1, or refuses them. */
function nameOf(text: string): AllowedAddress | undefined {
  const name = text.toLowerCase();
  const address = `http://${name}`;
  const isName = nameForm.test(name) && URL.canParse(address) && new URL(address).hostname === name;
  return isName ? { name } : undefined;
}
