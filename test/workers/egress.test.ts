import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readConfig } from '../../platform/config.ts';
import { urlErrorOf } from '../../workers/domain/egress-address.ts';
import { type EgressOptions, isEgressRefused, openEgress } from '../../workers/tools/egress.ts';
import { disguisedForms, privateForms } from './egress-forms.ts';

const MIB = 1_048_576;
const strict = { allowPrivate: false };
const withPort = (form: string, port: number) => form.replace('{port}', String(port));
const ofForms = [...privateForms, ...disguisedForms];

describe('the way out to addresses that tenants name', () => {
  const servers: Server[] = [];
  let connections: number;
  /** Counts connections over IPv4 and, where available, IPv6, and answers as set. */
  let sink: { port: number; answer: (request: IncomingMessage, response: ServerResponse) => void };

  before(async () => {
    const server = createServer((request, response) => sink.answer(request, response));
    server.on('connection', () => (connections += 1));
    server.listen(0, '::');
    await once(server, 'listening').catch(async () => {
      server.listen(0, '0.0.0.0');
      await once(server, 'listening');
    });
    servers.push(server);
    sink = { port: (server.address() as AddressInfo).port, answer: (_, response) => response.end('aqui') };
  });
  beforeEach(() => {
    connections = 0;
    sink.answer = (_, response) => response.end('aqui');
  });
  after(() => {
    for (const server of servers) server.close();
  });

  async function ask(url: string, options: EgressOptions = strict, init: RequestInit = {}) {
    const egress = openEgress(options);
    try {
      const response = await egress
        .parsed('host')
        .fetch(url, { signal: AbortSignal.timeout(10_000), ...init });
      return { status: response.status, text: await response.text() };
    } finally {
      await egress.close();
    }
  }
  const listening = async (host: string): Promise<AddressInfo> => {
    const server = createServer((_, response) => response.end('outro'));
    server.on('connection', () => (connections += 1));
    server.listen(0, host);
    await once(server, 'listening');
    servers.push(server);
    return server.address() as AddressInfo;
  };
  const failureOf = (asked: Promise<unknown>) => asked.then(() => undefined).catch((error: unknown) => error);
  const isRefused = async (...asked: Parameters<typeof ask>) =>
    isEgressRefused(await failureOf(ask(...asked)));

  it('is closed to over a hundred spellings of addresses that are ours, before anything is sent', async () => {
    expect(ofForms.length).to.be.greaterThan(100);
    expect(new Set(ofForms).size).to.equal(ofForms.length);
    const resolve = async () => ['127.0.0.1', '::1'];
    for (const form of ofForms)
      expect(await isRefused(withPort(form, sink.port), { ...strict, resolve }), form).to.equal(true);
    expect(connections).to.equal(0);
    const reached = await ask(`http://127.0.0.1:${sink.port}/`, { allowPrivate: true });
    expect([reached.text, connections]).to.deep.equal(['aqui', 1]);
  });

  it('opens what the operator names, on its port, and nothing else', async () => {
    const { port } = sink;
    const { egressAllow: allowed } = readConfig({
      EGRESS_ALLOW: `127.0.0.1:${port}, Evolution:${port},10.20.0.0/16`,
    });
    const options = { allowPrivate: false, allowed };
    expect((await ask(`http://127.0.0.1:${port}/`, options)).text).to.equal('aqui');
    const named = { ...options, resolve: async () => ['127.0.0.1'] };
    expect((await ask(`http://evolution:${port}/`, named)).text).to.equal('aqui');
    const reached = connections;
    const elsewhere = (await listening('127.0.0.1')).port;
    const refused: [string, string?][] = [
      [`http://127.0.0.1:${elsewhere}/`],
      [`http://127.0.0.2:${port}/`],
      [`http://[::1]:${port}/`],
      [`http://[::ffff:127.0.0.1]:${port}/`],
      [`http://10.21.0.1:${port}/`],
      [`http://evolution:${elsewhere}/`, '127.0.0.1'],
      [`http://other:${elsewhere}/`, '127.0.0.1'],
      [`http://evolution:${port}/`, '169.254.169.254'],
      [`http://evolution:${port}/`, '0.0.0.0'],
    ];
    for (const [url, resolved = '127.0.0.2'] of refused)
      expect(await isRefused(url, { ...options, resolve: async () => [resolved] }), url).to.equal(true);
    expect(connections).to.equal(reached);
    const isTaken = (url: string) => urlErrorOf(url, options) === undefined;
    for (const url of [
      `http://127.0.0.1:${port}/`,
      `http://Evolution:${port}/`,
      'https://10.20.3.4/',
      'http://a.example/',
    ])
      expect(isTaken(url), url).to.equal(true);
    for (const url of [
      'http://127.0.0.1/',
      'http://10.21.0.1/',
      `http://localhost:${port}/`,
      'http://169.254.169.254/',
    ])
      expect(isTaken(url), url).to.equal(false);
  });

  it('knows most of them from the text alone, when they are saved', () => {
    for (const form of ofForms) expect(urlErrorOf(withPort(form, 9), strict), form).to.be.an('object');
    for (const open of ['https://mcp.example.edu.br/mcp', 'http://8.8.8.8/', 'https://[2606:4700::1]/sse'])
      expect(urlErrorOf(open, strict), open).to.equal(undefined);
    for (const named of [
      'http://127.0.0.1.nip.io/',
      'http://metadata.google.internal/',
      'http://localhost.example/',
    ])
      expect(urlErrorOf(named, strict), named).to.equal(undefined);
  });

  it('is closed to names that lead to such an address, alone or among others', async () => {
    const v4 = ['127.0.0.1', '10.1.2.3', '169.254.169.254', '100.64.1.1'];
    for (const address of [...v4, '::1', '::ffff:127.0.0.1', 'fd00::1']) {
      for (const found of [[address], ['8.8.8.8', address], [address, '8.8.8.8']]) {
        const options = { ...strict, resolve: async () => found };
        expect(await isRefused(`http://mcp.example:${sink.port}/`, options), found.join()).to.equal(true);
      }
    }
    expect(connections).to.equal(0);
  });

  it('asks for a name once a connection and goes where that answer says, whatever it says afterwards', async () => {
    const asked: string[] = [];
    const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.2'];
    const resolve = async (name: string) => {
      asked.push(name);
      return [answers[asked.length - 1] ?? '127.0.0.2'];
    };
    const options = { allowPrivate: false, resolve, isAllowed: (address: string) => address === '127.0.0.1' };
    const hosts: unknown[] = [];
    sink.answer = ({ headers }, response) => {
      hosts.push(headers.host);
      response.end('aqui');
    };
    const url = `http://mcp.example:${sink.port}/`;
    expect((await ask(url, options)).text).to.equal('aqui');
    expect([asked, hosts]).to.deep.equal([['mcp.example'], [`mcp.example:${sink.port}`]]);
    expect(await isRefused(url, options)).to.equal(true);
    expect(connections).to.equal(1);
  });

  it('names the server to TLS as it was named, not by its address', async () => {
    const hello = new Promise<string>(resolve => {
      const server = createSocketServer(socket => {
        socket.on('error', () => {});
        socket.once('data', bytes => {
          resolve(bytes.toString('latin1'));
          socket.destroy();
        });
      });
      server.listen(0, '127.0.0.1');
      servers.push(server);
    });
    const server = servers.at(-1) as Server;
    if (!server.listening) await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const options = { allowPrivate: true, resolve: async () => ['127.0.0.1'] };
    await failureOf(ask(`https://mcp.example:${port}/`, options));
    expect(await hello).to.include('mcp.example');
  });

  it('checks each redirect like a first request', async () => {
    const isAllowed = (address: string) => address === '127.0.0.1';
    const resolve = async (name: string) => [name === 'aberto.example' ? '127.0.0.1' : '10.0.0.1'];
    const [url, options] = [`http://aberto.example:${sink.port}/`, { ...strict, resolve, isAllowed }];
    const targets = [
      `http://127.0.0.2:${sink.port}/`,
      `http://2130706434:${sink.port}/`,
      `http://[::1]:${sink.port}/`,
      `http://fechado.example:${sink.port}/`,
      'http://169.254.169.254/latest/meta-data/',
    ];
    for (const status of [301, 302, 303, 307, 308]) {
      for (const location of targets) {
        sink.answer = (_, response) => void response.writeHead(status, { location }).end();
        expect(await isRefused(url, options), location).to.equal(true);
      }
    }
    expect(connections).to.equal(25);
    sink.answer = (_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    expect(await failureOf(ask(url, options))).to.be.instanceOf(Error);
  });

  it('gives up an answer without end, whether anybody parses it or not', async () => {
    sink.answer = (_, response) => writeForEver(response.writeHead(200), 'x'.repeat(MIB / 4));
    const url = `http://127.0.0.1:${sink.port}/`;
    const egress = openEgress({ allowPrivate: true });
    for (const { fetch } of [egress.parsed('host'), egress.files(MIB)]) {
      const response = await fetch(url, { method: 'POST' });
      expect(inspect(await failureOf(response.arrayBuffer()))).to.include('too large');
    }
    await egress.close();
  });

  it('asks for no packed answers, reads one all the same, and gives up one that unpacks to nothing', async () => {
    const packed = (body: Buffer, isEndless: boolean) => {
      sink.answer = ({ headers }, response) => {
        expect(headers['accept-encoding']).to.equal('identity');
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' });
        if (!isEndless) return void response.end(body);
        writeForEver(response, body);
      };
      return ask(`http://127.0.0.1:${sink.port}/`, { allowPrivate: true });
    };
    expect((await packed(gzipSync('aqui'), false)).text).to.equal('aqui');
    const nothing = Buffer.concat(Array.from({ length: 2_000 }, () => gzipSync('')));
    expect(inspect(await failureOf(packed(nothing, true)))).to.include('too large');
  });
});

function writeForEver(response: ServerResponse, piece: string | Buffer): void {
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  more();
}
