import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { expectWrong } from '../support/contract.ts';
import { openMadeUpSite } from '../support/made-up-site.ts';
import { openEach, openOnce } from '../support/opened.ts';
import { borrowService, openOwnService, startApiBeside } from '../support/service.ts';

describe('the addresses by which a site is imported', () => {
  const service = openOwnService({ egressAllowPrivate: true });
  /** What hangs is given up after half of the time limit. */
  const hurried = openOnce(() => startApiBeside(service, { requestTimeoutMs: 10_000 }));
  const { demo } = service;
  const site = openEach(openMadeUpSite);

  const find = (url: string, host = demo) => host.call('findSiteSources', { url });
  const found = async (url: string) => (await find(url)).body.data;
  const robots = (...sitemaps: string[]) =>
    site.answer('robots.txt', { body: sitemaps.map(url => `Sitemap: ${url}\n`).join('') });
  const sitemaps = (count: number) =>
    Array.from({ length: count }, (_, at) => `${site.origin}/mapa-${at}.xml`);
  const page = () => site.answer('', { body: '<p>Oi</p>' });

  it('are the sitemaps that it names, of which the first hundred beyond the limit are told; a usual one; or its page', async () => {
    page();
    const url = `${site.origin}/`;
    expect(await found(url)).to.deep.equal({ url, sources: [url], left: [] });
    const named = sitemaps(120);
    for (const each of named) site.answer(each.slice(url.length), { body: '<urlset></urlset>' });
    site.answer('wp-sitemap.xml', { body: '<urlset></urlset>' });
    expect((await found(`${site.origin}#inicio`)).sources).to.deep.equal([`${url}wp-sitemap.xml`]);
    robots(`/${'x'.repeat(3_000)}`, ...named);
    expect(await found(url)).to.deep.equal({ url, sources: named.slice(0, 5), left: named.slice(5, 105) });
  });

  it('are none, with the reason, where the site does not answer, refuses or may not be read', async () => {
    for (const [status, reason] of [
      [403, 'unreachable'],
      [503, 'unreachable'],
      [404, 'gone'],
    ] as const) {
      site.answer('', { status });
      expect(await found(site.origin)).to.deep.include({ sources: [], reason });
    }
    await site.close();
    expect(await found(site.origin)).to.deep.include({ sources: [], reason: 'unreachable' });
    const strict = await borrowService();
    expect((await find('10.0.0.1', strict.demo)).body.data).to.deep.equal({
      url: 'https://10.0.0.1/',
      sources: [],
      left: [],
      reason: 'address-refused',
    });
    await strict.close();
  });

  it('are of the site where its address leads, without a scheme, with a campaign, or with nothing at its root', async () => {
    const url = `${site.origin}/`;
    const sitemap = `${url}sitemap.xml`;
    const urlset = { body: '<urlset></urlset>' };
    const all = { url, sources: [sitemap], left: [] };
    site.answer('', { status: 302, headers: { location: '/pt/inicio.php?id=1' } });
    site.answer('pt/inicio.php?id=1', { body: '<p>Oi</p>' });
    expect(await found(url)).to.deep.equal({ ...all, sources: [`${url}pt/inicio.php?id=1`] });
    site.answer('sitemap.xml', urlset);
    expect(await found(url)).to.deep.equal(all);
    page();
    expect(await found(url.slice('http://'.length))).to.deep.equal(all);
    expect(await found(` ${url}?utm_source=a&gclid=b`)).to.deep.equal(all);
    site.answer('?pagina=2', { body: '<p>Oi</p>' });
    expect(await found(`${url}?utm_source=a&pagina=2`)).to.deep.equal({ ...all, url: `${url}?pagina=2` });
    site.answer('', { status: 404 });
    expect(await found(url)).to.deep.equal(all);
    robots('/mapa.xml.gz');
    site.answer('mapa.xml.gz', {
      body: gzipSync('<urlset></urlset>'),
      headers: { 'content-type': 'application/gzip' },
    });
    expect(await found(url)).to.deep.equal({ ...all, sources: [`${url}mapa.xml.gz`] });
  });

  it('are its page where it answers nothing else, and does not say so', async () => {
    page();
    for (const name of ['robots.txt', 'sitemap.xml']) site.answer(name, { hangs: true });
    const url = `${site.origin}/`;
    const { body } = await find(url, hurried.demo);
    expect(body.data).to.deep.equal({ url, sources: [url], left: [] });
  });

  it('need an address', async () => {
    for (const url of ['exemplo .edu.br', 'https://', 'ftp://site.example/', 'javascript://site.example/'])
      expectWrong(await find(url), 'url', 'must be a URL');
  });
});
