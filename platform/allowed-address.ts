import ipaddr from 'ipaddr.js';

/** A private address that may be called: all addresses of a range, or those of a name, on one port or on any. */
export interface AllowedAddress {
  readonly range?: readonly [address: string, bits: number];
  readonly name?: string;
  readonly port?: number;
}

/** Undefined if the text is no such address. */
export function parseAllowed(text: string): AllowedAddress | undefined {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text);
    return { range: [address.toString(), bits] };
  }
  const { host, port: digits } = /^(?<host>\[[^\]]+\]|[^:]+)(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {};
  const bare = ipaddr.isValid(text) ? text : host?.replaceAll(/^\[|\]$/g, '');
  const port = digits === undefined ? {} : { port: Number(digits) };
  if (bare === undefined || port.port === 0 || (port.port ?? 0) > 65_535) return undefined;
  // A bare number would pass as an address: 10 is 0.0.0.10.
  if (ipaddr.isValid(bare) && /[.:]/.test(bare)) {
    const address = ipaddr.parse(bare);
    return { range: [address.toString(), address.kind() === 'ipv4' ? 32 : 128], ...port };
  }
  return /^(?!\d+$)[A-Za-z0-9_][\w.-]{0,252}$/.test(bare) ? { name: bare.toLowerCase(), ...port } : undefined;
}
