import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { UnreadableReason } from '../../../queues/contract/operations/document-shape.ts';
import { cutPassages } from '../../../workers/domain/documents/cut-passages.ts';
import { UnreadableError } from '../../../workers/knowledge/document-kind.ts';
import { type FetchedSource, fetchSource } from '../../../workers/knowledge/fetch-source.ts';
import { parseDocument } from '../../../workers/knowledge/parser/parse-document.ts';
import { readSite } from '../../../workers/knowledge/read-site.ts';
import { openEgress } from '../../../workers/tools/egress.ts';
import { assertDefined } from '../../support/assert-defined.ts';
import { openOnce } from '../../support/opened.ts';
import { runToEnd } from '../../support/run-to-end.ts';

describe('a site that does not answer', () => {
  const egress = openOnce(() => openEgress({ allowPrivate: true }));
  let site: Server;
  let origin: string;
  /** Paths that are asked for, and that get no answer. */
  const silent = new Set<string>();
  const asked: string[] = [];
  before(async () => {
    site = createServer(({ url = '' }, response) => {
      asked.push(url);
      if (silent.has(url)) return void site.emit('silent');
      if (/^\/\d+$/.test(url)) return void response.writeHead(Number(url.slice(1))).end('Nada.');
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
  });

  const read = (path: string, { maxMs, signal }: { maxMs?: number; signal?: AbortSignal } = {}) => {
    const parts = {
      fetch: (url: string, stop: AbortSignal) => fetchSource(egress.files(1_048_576), url, stop),
      parse: (request: Parameters<typeof parseDocument>[0]) => parseDocument(request, () => {}),
      onPage: async () => {},
      signal: signal ?? new AbortController().signal,
    };
    return readSite(origin + path, parts, maxMs).then(
      site =>
        typeof site === 'string' ? site : site.text.blocks.filter(({ kind }) => kind === 'text').length,
      error => error.reason ?? error,
    );
  };

  it('has a page no more where it answers 404 or 410, and may have it again where it answers another failure, or not all of it', async () => {
    for (const status of [404, 410]) expect(await read(`/${status}`)).to.equal('gone');
    for (const status of [202, 206, 401, 403, 451, 500])
      expect(await read(`/${status}`)).to.equal('unreachable');
  });

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

describe('the pages of a site', () => {
  it('are not parsed where their server says that they are as they were', async () => {
    const [url, known] = ['https://site.example/sitemap.xml', 'https://site.example/a'];
    const parsed: string[] = [];
    const parts = {
      fetch: async (address: string) =>
        address === url
          ? {
              url,
              kind: 'html' as const,
              encoding: undefined,
              bytes: Buffer.from(`<urlset><url><loc>${known}</loc></url></urlset>`),
              validators: {},
            }
          : ('unchanged' as const),
      parse: (request: Parameters<typeof parseDocument>[0]) => {
        parsed.push(request.address ?? '');
        return parseDocument(request, () => {});
      },
      onPage: async () => {},
      signal: new AbortController().signal,
    };
    const found = await readSite(url, parts);
    expect(parsed).to.deep.equal([url]);
    expect(found).to.have.nested.property('site.unchanged').that.deep.equals([known]);
    expect(await readSite(known, parts)).to.equal('unchanged');
    expect(parsed).to.deep.equal([url]);
  });

  const ORIGIN = 'https://site.example';
  const MAX_PAGES = 200;
  type Page = Pick<FetchedSource, 'kind'> & { readonly body: string; readonly fails?: UnreadableReason };

  const html = (body: string): Page => ({ kind: 'html', body });
  const sitemap = (tag: 'urlset' | 'sitemapindex', paths: readonly string[]) => {
    const entry = tag === 'urlset' ? 'url' : 'sitemap';
    const entries = paths.map(path => `<${entry}><loc>${ORIGIN}${path}</loc></${entry}>`).join('');
    return html(`<?xml version="1.0"?><${tag}>${entries}</${tag}>`);
  };
  /** Reads `/sitemap.xml` of a site that has these pages. */
  const read = async (pages: Readonly<Record<string, Page>>) => {
    const asked: string[] = [];
    const found = await readSite(`${ORIGIN}/sitemap.xml`, {
      async fetch(url) {
        const path = url.replace(ORIGIN, '');
        asked.push(path);
        const { kind, body, fails } = assertDefined(pages[path]);
        if (fails) throw new UnreadableError(fails);
        return { url, kind, encoding: undefined, bytes: Buffer.from(body), validators: {} };
      },
      parse: request => parseDocument(request, () => {}),
      onPage: async () => {},
      signal: new AbortController().signal,
    });
    if (found === 'unchanged') throw new Error('nothing was known of the site');
    const { text, site } = found;
    const passages = runToEnd(cutPassages(text, { name: 'Site', limit: 8_000, most: 1_000 })) ?? [];
    return {
      asked,
      text,
      unread: site?.unread,
      gone: site?.gone,
      passages: passages.map(({ content }) => content),
    };
  };

  it('have no heading of the page before, where a page has none of its own', async () => {
    const { passages } = await read({
      '/sitemap.xml': sitemap('urlset', ['/a', '/b']),
      '/a': html('<title>Cursos</title><h2>Direito</h2><p>Dez semestres.</p>'),
      '/b': html('<p>Ligue 0800 123.</p>'),
    });
    expect(passages).to.deep.equal(['## Cursos > Direito\n\nDez semestres.', '## Site\n\nLigue 0800 123.']);
  });

  it('end where sitemaps name each other for ever, and at 200, and those beyond are named', async () => {
    const numbered = (from: number) => Array.from({ length: 150 }, (_, at) => `/p${from + at}`);
    const all = [...numbered(0), ...numbered(150)];
    const { asked, passages, unread } = await read({
      '/sitemap.xml': sitemap('sitemapindex', ['/one.xml', '/sitemap.xml']),
      '/one.xml': sitemap('sitemapindex', ['/sitemap.xml', '/two.xml', '/three.xml']),
      '/two.xml': sitemap('urlset', numbered(0)),
      '/three.xml': sitemap('urlset', numbered(150)),
      ...Object.fromEntries(all.map(path => [path, html(`<title>Página</title><p>Texto de ${path}.</p>`)])),
    });
    expect(passages).to.have.length(MAX_PAGES);
    const sitemaps = ['/sitemap.xml', '/one.xml', '/two.xml', '/three.xml'];
    expect(asked).to.deep.equal([...sitemaps, ...all.slice(0, MAX_PAGES)]);
    expect(unread?.addresses).to.deep.equal(all.slice(MAX_PAGES).map(path => ORIGIN + path));
  });

  const failing = (fails: UnreadableReason): Page => ({ ...html(''), fails });
  const siteOf = (pages: Readonly<Record<string, Page>>) =>
    read({ '/sitemap.xml': sitemap('urlset', Object.keys(pages)), ...pages });

  it('are read without those that are gone, however many, and name them apart from the unread ones', async () => {
    const { gone, unread, passages } = await siteOf({
      '/a': failing('gone'),
      '/b': failing('gone'),
      '/c': failing('gone'),
      '/d': html('<p>Ligue 0800 123.</p>'),
      '/e': failing('unreachable'),
    });
    expect(passages).to.have.length(1);
    expect([gone, unread?.addresses]).to.deep.equal([
      ['/a', '/b', '/c'].map(path => ORIGIN + path),
      [`${ORIGIN}/e`],
    ]);
    expect(['/a', '/d', '/e'].map(path => unread?.isOf(ORIGIN + path))).to.deep.equal([false, false, true]);
  });

  it('are not read where most of those that are not gone are out of reach, or where all are gone', async () => {
    const [gone, out, page] = [failing('gone'), failing('unreachable'), html('<p>Ligue 0800 123.</p>')];
    const reasonOf = (pages: Readonly<Record<string, Page>>) =>
      siteOf(pages).then(
        () => 'read',
        error => error.reason,
      );
    expect(await reasonOf({ '/a': out, '/b': page, '/c': out, '/d': gone })).to.equal('unreachable');
    expect(await reasonOf({ '/a': out, '/b': page, '/c': gone, '/d': gone })).to.equal('read');
    expect(await reasonOf({ '/a': gone, '/b': gone })).to.equal('gone');
    expect(await reasonOf({ '/a': gone, '/b': html('') })).to.equal('no-text');
  });

  it('are also those where a browser goes on from one by itself: frames and redirects within it, each once, of the same site', async () => {
    const start = '/sitemap.xml';
    const text = (of: string) => html(`<title>${of}</title><p>Texto de ${of}.</p>`);
    const frames =
      '<frameset cols="20%,80%"><frame src="menu.htm"><frame src="corpo.htm"><noframes>Atualize seu navegador.</noframes></frameset>';
    const ways: Readonly<Record<string, string>> = {
      frameset: frames,
      'nested frames': '<frameset><frame src="/dentro.htm"></frameset>',
      'a frame beside text':
        '<p>Texto de start.</p><iframe src="menu.htm"></iframe><iframe src="/corpo.htm#a"></iframe>',
      refresh: '<meta http-equiv="Refresh" content="0; URL=\'/dentro.htm\'">',
      href: '<script>window.location.href = "dentro.htm";</script>',
      replace: "<script>top.location.replace('/dentro.htm')</script>",
      base: '<base href="/"><frameset><frame src="menu.htm"><frame src="corpo.htm"><frame src="http://site.example/menu.htm"></frameset>',
    };
    for (const [way, body] of Object.entries(ways)) {
      const { asked, passages, unread } = await read({
        [start]: html(body),
        '/dentro.htm': html(frames),
        '/menu.htm': text('menu'),
        '/corpo.htm': html('<title>corpo</title><p>Texto de corpo.</p><iframe src="/sitemap.xml"></iframe>'),
      });
      const said = passages.map(passage => passage.split('\n').at(-1) ?? '');
      expect([way, ...said.toSorted()]).to.deep.equal([
        way,
        'Texto de corpo.',
        'Texto de menu.',
        ...(way === 'a frame beside text' ? ['Texto de start.'] : []),
      ]);
      expect(asked.toSorted(), way).to.deep.equal([...new Set(asked)].toSorted());
      expect(unread, way).to.equal(undefined);
    }
  });

  it('are none of another site, of a later sign-in, of what is hidden, or of a script beside text', async () => {
    const reasonOf = (body: string) =>
      read({ '/sitemap.xml': html(body) }).then(
        ({ asked }) => asked,
        error => error.reason,
      );
    for (const body of [
      '<frameset><frame src="https://other.example/menu.htm"><frame src="about:blank"></frameset>',
      '<meta http-equiv="refresh" content="1800; url=/sair">',
      '<meta http-equiv="refresh" content="5">',
      '<meta http-equiv="refresh" content="0; url=/sitemap.xml#a">',
      '<script>let next = "/a"; location = next</script>',
    ])
      expect(await reasonOf(body)).to.equal('no-text');
    const text = '<p>Texto.</p>';
    for (const more of ['<script>location.href="/m"</script>', '<iframe hidden src="/a"></iframe>'])
      expect(await reasonOf(text + more)).to.deep.equal(['/sitemap.xml']);
  });

  it('are where the only way of one without text leads, by the name that it says: a bare one may have no more', async () => {
    const www = 'https://www.site.example/inicio';
    const start = (way: string) => html(`<meta http-equiv="refresh" content="0; url=${way}">`);
    const { asked, passages, text } = await read({
      '/sitemap.xml': start('/a'),
      '/a': start(www),
      [www]: html('<h2>Taxa</h2><p>R$ 80.</p>'),
      '/inicio': failing('gone'),
    });
    expect([asked, passages.length]).to.deep.equal([['/sitemap.xml', '/a', www], 1]);
    expect(text.blocks.filter(({ place }) => place !== undefined)).to.deep.equal([]);
    const loop = read({ '/sitemap.xml': start('/a'), '/a': start('/sitemap.xml') });
    expect(await loop.catch(error => error.reason)).to.equal('no-text');
  });

  it('stay where frames beside them are out of reach, of which each is named', async () => {
    const frames = '<iframe src="/a"></iframe><iframe src="/b"></iframe>';
    const { passages, unread } = await read({
      '/sitemap.xml': html(`<p>Ligue 0800 123.</p>${frames}`),
      '/a': failing('unreachable'),
      '/b': failing('unreachable'),
    });
    expect(passages).to.have.length(1);
    expect(unread?.addresses).to.deep.equal(['/a', '/b'].map(path => ORIGIN + path));
  });

  it('that others lead to are out of reach, or beyond the limit, as all are', async () => {
    const start = (leads: string) => ({ '/sitemap.xml': html(leads) });
    const out = await read({
      ...start('<frameset><frame src="/a"></frameset>'),
      '/a': failing('unreachable'),
    }).then(
      () => 'read',
      error => error.reason,
    );
    expect(out).to.equal('unreachable');
    const names = Array.from({ length: 250 }, (_, at) => `/f${at}`);
    const frames = (some: readonly string[]) => some.map(src => `<iframe src="${src}"></iframe>`).join('');
    const { unread, passages } = await read({
      ...start(`<p>Início.</p>${frames(names.slice(0, 150))}`),
      ...Object.fromEntries(names.map(name => [name, html(`<title>${name}</title><p>Texto.</p>`)])),
      '/f0': html(`<title>/f0</title><p>Texto.</p>${frames(names.slice(150))}`),
    });
    expect(passages).to.have.length(MAX_PAGES);
    expect(unread?.addresses).to.deep.equal(names.slice(199).map(name => ORIGIN + name));
  });

  it('stand in packed sitemaps, too, if those are whole and no larger than a sitemap may be', async () => {
    const readPacked = (bytes: Uint8Array) =>
      parseDocument({ kind: 'html', bytes, mayBeSitemap: true }, () => {}).catch(error => error.reason);
    const packed = gzipSync(`<urlset><url><loc>${ORIGIN}/a</loc></url></urlset>`);
    expect(await readPacked(packed)).to.deep.equal({ sitemap: { pages: [`${ORIGIN}/a`], sitemaps: [] } });
    expect(await readPacked(packed.subarray(0, -9))).to.equal('broken');
    expect(await readPacked(gzipSync(Buffer.alloc(51 * 1_048_576)))).to.equal('too-large');
  });

  it('are named by http or https, with www or without, and asked for as the site answers', async () => {
    const named = (address: string) => `<url><loc>${address}</loc></url>`;
    const { asked } = await read({
      '/sitemap.xml': html(
        `<urlset>${named('http://www.site.example/a')}${named('http://site.example/b')}${named('https://www.site.example/a')}${named('https://site.example:8443/c')}${named('https://portal.site.example/d')}</urlset>`,
      ),
      '/a': html('<p>Um.</p>'),
      '/b': html('<p>Dois.</p>'),
    });
    expect(asked).to.deep.equal(['/sitemap.xml', '/a', '/b']);
  });

  for (const kind of ['markdown', 'text', 'csv'] as const)
    it(`are at fault with one of ${kind} that has a filter, which is not that of the site`, async () => {
      const { text } = await read({
        '/sitemap.xml': sitemap('urlset', ['/a', '/b']),
        '/a': html('<title>Cursos</title><p>Direito e Letras.</p>'),
        '/b': { kind, body: '---\nunidade: sul\n---\nCurso,Preço\nDireito,900' },
      });
      expect(text.hasFalseHead).to.equal(true);
    });
});
