/** This machine in every notation that a URL allows. */
const thisMachine = `
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0x7f.0.0.1 0177.0.0.1 017700000001 0177.0x0.0.1
  127.0.0.1. 127.127.127.127 0 0.0.0.0 0x0 00 0.0.0.0. １２７.0.0.1 127。0。0。1 ①②⑦.0.0.1 %31%32%37.0.0.1
  0X7F000001 127.0x1 127.00000.0.1 [::1] [0:0:0:0:0:0:0:1] [0000::0001] [::] [::ffff:127.0.0.1]
  [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1]
`;

const localNames = `
  localhost LOCALHOST localhost. LocalHost a.localhost a.b.localhost. localhost.localdomain
  ip6-localhost ip6-loopback localhost6 ｌocalhost local%68ost
`;

/** Private, carrier-grade NAT and link-local networks, and the services of cloud providers there. */
const privateNetworks = `
  10.0.0.1 10.255.255.255 012.0.0.1 0xa.1 167772161 172.16.0.1 172.31.255.254 192.168.0.1 0xc0a80001
  192.168.1 169.254.169.254 169.254.169.254. 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518
  [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] 100.64.0.1 100.100.100.200 168.63.129.16 192.0.0.192
  [fd00:ec2::254] [fc00::1] [fdff::1] [fe80::1] [febf::1] [fec0::1] [ff02::1] [ff05::2]
`;

/** Reserved, multicast and broadcast addresses. */
const nobodys = `
  224.0.0.1 239.255.255.255 255.255.255.255 240.0.0.1 198.18.0.1 192.0.2.1 203.0.113.9 198.51.100.7
`;

/** IPv6 addresses that embed an IPv4 address: NAT64, 6to4, Teredo. */
const carriers = `
  [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:a9fe:a9fe::1]
  [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:db8::1] [100::1] [4000::1] [5f00::1]
`;

/** Every known notation of a private address; `{port}` stands for the port. */
export const privateForms: readonly string[] = [thisMachine, localNames, privateNetworks, nobodys, carriers]
  .flatMap(forms => forms.trim().split(/\s+/))
  .map(host => `http://${host}:{port}/mcp`);

/** Addresses whose text and target differ. */
// biome-ignore format: a list
export const disguisedForms: readonly string[] = [
  'http://mcp.example@127.0.0.1:{port}/', 'http://mcp.example:80@127.0.0.1:{port}/',
  'http://mcp.example%2f@127.0.0.1:{port}/', 'http://127.0.0.1:{port}\\@mcp.example/',
  'http:\\\\127.0.0.1:{port}\\mcp', 'http:///127.0.0.1:{port}/', 'http:127.0.0.1:{port}/',
  ' http://127.0.0.1:{port}/ ', 'ht\ttp://127.0.0.1:{port}/', 'http://127.0\n.0.1:{port}/',
  'https://127.0.0.1:{port}/', 'file:///etc/passwd', 'ftp://127.0.0.1:{port}/',
  'gopher://127.0.0.1:{port}/_x', 'data:text/plain,127.0.0.1', 'blob:http://127.0.0.1:{port}/x',
  'javascript:1', 'ws://127.0.0.1:{port}/', 'unix:///var/run/docker.sock',
];

/** One of every ten, where each is a request: `workers/egress` tries them all. */
export const someForms: readonly string[] = [...privateForms, ...disguisedForms]
  .filter((_, at) => at % 10 === 0)
  .map(form => form.replace('{port}', '9'));
