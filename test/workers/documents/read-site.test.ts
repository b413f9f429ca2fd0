import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { fetchSource } from '../../../workers/knowledge/fetch-source.ts';
import { parseDocument } from '../../../workers/knowledge/parser/parse-document.ts';
import { readSite } from '../../../workers/knowledge/read-site.ts';
import { type Egress, openEgress } from '../../../workers/tools/egress.ts';

describe('a site that does not answer', () => {
  let egress: Egress;
  let site: Server;
  let origin: string;
  /** Paths that are asked for, and that get no answer. */
  const silent = new Set<string>();
  const asked: string[] = [];
  before(async () => {
    egress = openEgress({ allowPrivate: true });
    site = createServer(({ url = '' }, response) => {
      asked.push(url);
      if (silent.has(url)) return void site.emit('silent');
      const pages = ['/a', '/b', '/c'].map(path => `<url><loc>${origin}${path}</loc></url>`).join('');
      response.setHeader('content-type', 'text/html');
      response.end(url === '/sitemap.xml' ? `<urlset>${pages}</urlset>` : `<p>Texto de ${url}.</p>`);
    });
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    silent.clear();
    asked.length = 0;
  });
  after(async () => {
    site.close();
    site.closeAllConnections();
    await egress.close();
  });

  const read = (path: string, { maxMs, signal }: { maxMs?: number; signal?: AbortSignal } = {}) => {
    const parts = {
      fetch: (url: string, stop: AbortSignal) => fetchSource(egress, url, stop),
      parse: (request: Parameters<typeof parseDocument>[0]) => parseDocument(request, () => {}),
      onPage: async () => {},
      signal: signal ?? new AbortController().signal,
    };
    return readSite(origin + path, parts, maxMs).then(
      ({ text }) => text.blocks.filter(({ kind }) => kind === 'text').length,
      error => error.reason ?? error,
    );
  };

  it('is too slow as a whole, whichever of its addresses is silent, and none of its pages is kept', async () => {
    for (const path of ['/sitemap.xml', '/a', '/c']) {
      silent.clear();
      silent.add(path);
      expect(await read('/sitemap.xml', { maxMs: 400 })).to.equal('too-slow');
    }
    silent.clear();
    expect(await read('/sitemap.xml')).to.equal(3);
  });

  it('is asked for nothing more when its import stops', async () => {
    silent.add('/a');
    const stop = new AbortController();
    const reading = read('/sitemap.xml', { signal: stop.signal });
    await Promise.race([reading, once(site, 'silent')]);
    stop.abort('stopped');
    expect(await reading).to.equal('stopped');
    expect(asked).to.deep.equal(['/sitemap.xml', '/a']);
  });
});
