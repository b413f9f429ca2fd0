import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { chunksOf, importAndWait, makeDataset, sendDocument } from '../support/imports.ts';
import { openOnce } from '../support/opened.ts';
import { openOwnService, openService } from '../support/service.ts';

describe('documents of an address', () => {
  const service = openOwnService({ egressAllowPrivate: true });
  const { demo, acme, db } = service;
  let datasetId: string;
  let origin: string;
  /** Each path answers this; others are 404. */
  const answers = new Map<string, { readonly type: string; readonly body: string }>();
  const asked: string[] = [];
  /** These lead to another path. */
  const moved = new Map<string, string>();
  /** These are answered with a status, as often as it says. */
  const failing = new Map<string, { readonly status: number; times: number }>();
  /** These get no answer before the end of their test. */
  const silent = new Set<string>();
  const site = openOnce(async () => {
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      if (silent.has(url)) return;
      const failure = failing.get(url);
      if (failure && failure.times > 0) {
        failure.times -= 1;
        response.writeHead(failure.status, { 'retry-after': '0' }).end();
        return;
      }
      const to = moved.get(url);
      if (to !== undefined) return void response.writeHead(302, { location: to }).end();
      const answer = answers.get(url);
      response.writeHead(answer ? 200 : 404, { 'content-type': answer?.type ?? 'text/plain' });
      response.end(answer?.body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return server;
  });
  beforeEach(async () => {
    for (const each of [answers, moved, failing, silent]) each.clear();
    asked.length = 0;
    datasetId = await makeDataset(service);
  });

  const page = (path: string, body: string) => answers.set(path, { type: 'text/html; charset=utf-8', body });
  const addressesOf = (names: readonly string[]) => names.map(name => `${origin}/${name}`);
  const sitemap = (path: string, urls: readonly string[]) => {
    const entries = urls.map(url => `<url><loc>${url}</loc></url>`).join('');
    answers.set(path, { type: 'application/xml', body: `<?xml version="1.0"?><urlset>${entries}</urlset>` });
  };
  const load = (path: string, dataset_id = datasetId) =>
    importAndWait(service, { dataset_id, name: 'Site', external_key: 'site', url: origin + path });

  it('are a page, of which nothing else is fetched', async () => {
    const others = '<img src="/foto.png"><iframe src="http://127.0.0.2:9/mapa"></iframe>';
    page('/', `<title>Início</title><h1>Campus</h1><p>Rua das Flores, 10.</p>${others}`);
    expect((await load('/')).data).to.deep.include({ passages: 1 });
    const [chunk] = await chunksOf(service, datasetId);
    expect(chunk?.content).to.equal('## Campus\n\nRua das Flores, 10.');
    expect(asked).to.deep.equal(['/']);
  });

  it('are the pages of a sitemap of the same origin, each once, with their titles and addresses', async () => {
    sitemap('/sitemap.xml', [...addressesOf(['a', 'b', 'a#fim', 'gone']), 'http://127.0.0.2:9/elsewhere']);
    page('/a', '<title>Cursos</title><p>Direito e Letras.</p>');
    page('/b', '<title>Contato</title><p>Ligue 0800 123.</p>');
    const { data } = await load('/sitemap.xml');
    expect(data?.gone).to.deep.equal({ count: 1, pages: [`${origin}/gone`] });
    const chunks = await chunksOf(service, datasetId);
    expect(chunks.map(({ content, place }) => [content, place])).to.deep.equal([
      ['## Contato\n\nLigue 0800 123.', `${origin}/b`],
      ['## Cursos\n\nDireito e Letras.', `${origin}/a`],
    ]);
    expect(asked).to.deep.equal(['/sitemap.xml', '/a', '/b', '/gone']);
  });

  /** A site of these pages, each a passage. */
  const publish = (names: readonly string[], word = 'hoje') => {
    sitemap('/sitemap.xml', addressesOf(names));
    for (const name of names) page(`/${name}`, `<title>${name}</title><p>Texto de ${name} ${word}.</p>`);
  };
  const fail = (status: number, names: readonly string[], times = Number.POSITIVE_INFINITY) => {
    for (const name of names) failing.set(`/${name}`, { status, times });
  };
  const contentsOf = async () => (await chunksOf(service, datasetId)).map(({ content }) => content);
  const lastListed = async () =>
    (await demo.call('listDocuments', { dataset_id: datasetId })).body.data.items[0];
  const wantEvents = () =>
    demo.call('saveWebhook', { name: 'CRM', url: 'https://crm.example/', events: ['import.finished'] });

  it('keep the passages of pages that cannot be read now, and name these pages', async () => {
    publish(['a', 'b', 'c', 'd', 'e']);
    await load('/sitemap.xml');
    publish(['a', 'b', 'c', 'e'], 'amanhã');
    fail(429, ['a']);
    fail(503, ['b']);
    await wantEvents();
    const { code, data } = await load('/sitemap.xml');
    const incomplete = { count: 2, pages: addressesOf(['a', 'b']) };
    expect(code).to.equal(200);
    expect(data).to.deep.include({ passages: 4, added: 2, kept: 2, removed: 3, incomplete });
    const texts = ['a hoje', 'b hoje', 'c amanhã', 'e amanhã'];
    expect(await contentsOf()).to.deep.equal(texts.map(text => `## ${text[0]}\n\nTexto de ${text}.`));
    expect(await lastListed()).to.deep.include({ state: 'incomplete', passages: 4, incomplete });
    const [event] = await db('events').where({ type: 'import.finished' }).select('data');
    expect(event.data).to.deep.include({ reason: null, incomplete });
    failing.clear();
    expect((await load('/sitemap.xml')).data).to.include({ passages: 4, added: 2, removed: 2 });
    expect(await lastListed())
      .to.include({ state: 'ready' })
      .and.not.to.have.property('incomplete');
  });

  it('lose the passages of pages that answer 404 or 410, name these pages, and keep those of one that fails', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    publish(names);
    await load('/sitemap.xml');
    for (const name of ['a', 'b', 'c']) answers.delete(`/${name}`);
    fail(410, ['d']);
    fail(503, ['e']);
    await wantEvents();
    const { data } = await load('/sitemap.xml');
    const gone = { count: 4, pages: addressesOf(['a', 'b', 'c', 'd']) };
    const incomplete = { count: 1, pages: [`${origin}/e`] };
    expect(data).to.deep.include({ passages: 2, added: 0, kept: 2, removed: 4, gone, incomplete });
    expect(await lastListed()).to.deep.include({ state: 'incomplete', gone, incomplete });
    const [event] = await db('events').whereRaw("data->'gone' is not null").select('data');
    expect(event.data).to.deep.include({ documentId: data?.documentId, gone, incomplete });
    failing.clear();
    for (const name of names) answers.delete(`/${name}`);
    expect((await load('/sitemap.xml')).data?.reason).to.equal('gone');
    expect(await contentsOf()).to.have.length(2);
  });

  it('change nothing where most of them cannot be reached', async () => {
    publish(['a', 'b', 'c']);
    await load('/sitemap.xml');
    const before = await contentsOf();
    publish(['a', 'b', 'c'], 'amanhã');
    fail(503, ['b', 'c']);
    const { code, data } = await load('/sitemap.xml');
    expect([code, data?.reason]).to.deep.equal([422, 'unreachable']);
    expect(await contentsOf()).to.deep.equal(before);
  });

  it('change nothing where their sitemap ends in its middle', async () => {
    publish(['a', 'b', 'c']);
    await load('/sitemap.xml');
    const { type = '', body = '' } = answers.get('/sitemap.xml') ?? {};
    for (const length of [body.lastIndexOf('<url>'), body.lastIndexOf('</urlset>')]) {
      answers.set('/sitemap.xml', { type, body: body.slice(0, length) });
      const { code, data } = await load('/sitemap.xml');
      expect([code, data?.reason]).to.deep.equal([422, 'broken']);
    }
    expect(await contentsOf()).to.have.length(3);
  });

  const SIGN_IN = '<title>Portal</title><p>Entre com CPF e senha.</p>';

  it('change nothing where most of them lead to one sign-in, or answer with one', async () => {
    const names = ['a', 'b', 'c', 'd'];
    publish(names);
    await load('/sitemap.xml');
    const before = await contentsOf();
    page('/entrar', SIGN_IN);
    for (const name of names.slice(1)) moved.set(`/${name}`, '/entrar');
    expect((await load('/sitemap.xml')).data?.reason).to.equal('unreachable');
    moved.clear();
    for (const name of names) page(`/${name}`, SIGN_IN);
    expect((await load('/sitemap.xml')).data?.reason).to.equal('unreachable');
    expect(await contentsOf()).to.deep.equal(before);
  });

  it('keep the passages of pages that now answer what another one does, and name these pages', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    publish(names);
    await load('/sitemap.xml');
    publish(names, 'amanhã');
    page('/entrar', SIGN_IN);
    for (const name of ['a', 'b']) moved.set(`/${name}`, '/entrar');
    moved.set('/c', '/d');
    answers.set('/f', { type: 'text/html; charset=utf-8', body: answers.get('/e')?.body ?? '' });
    page('/novo', '<title>g</title><p>Texto de g em outro lugar.</p>');
    moved.set('/g', '/novo');
    const { data } = await load('/sitemap.xml');
    const incomplete = { count: 4, pages: addressesOf(['a', 'b', 'c', 'f']) };
    expect(data).to.deep.include({ kept: 4, removed: 4, incomplete });
    const told = (await contentsOf()).map(content => content.split('Texto de ')[1]).filter(Boolean);
    const old = ['a hoje.', 'b hoje.', 'c hoje.', 'f hoje.'];
    expect(told).to.have.members([...old, 'd amanhã.', 'e amanhã.', 'g em outro lugar.', 'h amanhã.']);
  });

  it('are complete with pages that never had a text of their own', async () => {
    publish(['a', 'b']);
    answers.set('/b', { type: 'text/html', body: answers.get('/a')?.body ?? '' });
    moved.set('/c', '/a');
    sitemap('/sitemap.xml', addressesOf(['a', 'b', 'c']));
    for (const word of ['hoje', 'amanhã']) {
      for (const name of ['a', 'b']) page(`/${name}`, `<title>a</title><p>Texto de a ${word}.</p>`);
      expect((await load('/sitemap.xml')).data)
        .to.include({ passages: 1 })
        .and.not.to.have.property('incomplete');
    }
    expect(await contentsOf()).to.deep.equal(['## a\n\nTexto de a amanhã.']);
  });

  it('change nothing where the address of their sitemap answers a page, and are replaced by another address', async () => {
    publish(['a', 'b', 'c']);
    await load('/sitemap.xml');
    const before = await contentsOf();
    page('/entrar', SIGN_IN);
    for (const answer of [SIGN_IN, '<meta http-equiv="refresh" content="0; url=/entrar">']) {
      page('/sitemap.xml', answer);
      expect((await load('/sitemap.xml')).data?.reason).to.equal('unreachable');
      expect(await contentsOf()).to.deep.equal(before);
    }
    page('/outro', '<h1>Campus</h1><p>Rua das Flores, 10.</p>');
    expect((await load('/outro')).data).to.include({ added: 1, removed: 3 });
    page('/outro', '<h1>Campus</h1><p>Rua das Flores, 12.</p>');
    expect((await load('/outro')).data).to.include({ added: 1, removed: 1 });
  });

  it('are asked for again after the pause that a server wants', async () => {
    publish(['a', 'b']);
    fail(429, ['sitemap.xml', 'a', 'b'], 2);
    const { data } = await load('/sitemap.xml');
    expect(data).to.include({ passages: 2 }).and.not.to.have.property('incomplete');
    expect(asked.filter(path => path === '/a')).to.have.length(3);
  });

  /** An index of that sitemap and another one, which has the page c. */
  const publishIndex = () => {
    const maps = addressesOf(['sitemap.xml', 'other.xml']).map(url => `<sitemap><loc>${url}</loc></sitemap>`);
    answers.set('/index.xml', { type: 'text/xml', body: `<sitemapindex>${maps.join('')}</sitemapindex>` });
    sitemap('/other.xml', addressesOf(['c']));
    page('/c', '<title>c</title><p>Texto de c hoje.</p>');
  };

  it('keep what was read of a sitemap that cannot be read now', async () => {
    publish(['a', 'b']);
    await load('/sitemap.xml');
    publishIndex();
    fail(503, ['sitemap.xml']);
    const { data } = await load('/index.xml');
    const incomplete = { count: 1, pages: [`${origin}/sitemap.xml`] };
    expect(data).to.deep.include({ passages: 3, added: 1, kept: 2, removed: 0, incomplete });
  });

  it('keep what was read of a sitemap that answers a page now', async () => {
    publish(['a', 'b']);
    publishIndex();
    await load('/index.xml');
    page('/sitemap.xml', SIGN_IN);
    const incomplete = { count: 1, pages: [`${origin}/sitemap.xml`] };
    expect((await load('/index.xml')).data).to.deep.include({ kept: 3, removed: 0, incomplete });
  });

  it('leave no page with a filter of its own open to everybody', async () => {
    sitemap('/sitemap.xml', addressesOf(['a', 'b']));
    page('/a', '<title>Cursos</title><p>Direito e Letras.</p>');
    answers.set('/b', { type: 'text/csv', body: '---\nunidade: sul\n---\nCurso,Preço\nDireito,900' });
    const filtered = await makeDataset(service, demo, { datasetType: 'filtered_rag' });
    const [refused, stored] = await Promise.all([load('/sitemap.xml', filtered), load('/sitemap.xml')]);
    expect(refused.data?.reason).to.equal('front-matter-invalid');
    expect(await chunksOf(service, filtered)).to.deep.equal([]);
    expect(stored.data).to.deep.include({ passages: 2 });
  });

  it('that are waited for, of several hosts, keep no document of any host waiting', async () => {
    silent.add('/silent');
    for (const host of [demo, acme]) {
      const dataset_id = await makeDataset(service, host);
      await sendDocument({ db, demo: host }, { name: 'Site', url: `${origin}/silent`, dataset_id });
    }
    await eventually(async () => asked.length, 2);
    const text = { name: 'Guia', content_type: 'text/plain', content: 'Texto.' };
    const read = [demo, acme].map(async host => {
      const dataset_id = await makeDataset(service, host);
      return (await importAndWait({ db, demo: host }, { ...text, dataset_id })).code;
    });
    expect(await Promise.all(read)).to.deep.equal([200, 200]);
    const stages = await db('document_imports').whereNull('ended_at').select('stage');
    expect(stages).to.deep.equal([{ stage: 'fetching' }, { stage: 'fetching' }]);
    site.closeAllConnections();
  });

  it('that cannot be reached or read leave what was imported before, and name the reason', async () => {
    page('/', '<h1>Campus</h1><p>Rua das Flores, 10.</p>');
    await load('/');
    const before = await chunksOf(service, datasetId);
    answers.clear();
    const { code, data } = await load('/');
    expect([code, data?.reason]).to.deep.equal([422, 'gone']);
    answers.set('/', { type: 'application/zip', body: 'PK' });
    expect((await load('/')).data?.reason).to.equal('wrong-kind');
    answers.set('/', { type: 'text/plain', body: 'x'.repeat(17 * 1_048_576) });
    expect((await load('/')).data?.reason).to.equal('too-large');
    expect(await chunksOf(service, datasetId)).to.deep.equal(before);
  });
});

describe('documents of a private address', () => {
  const service = openService();

  it('are not read', async () => {
    const dataset_id = await makeDataset(service);
    const document = { dataset_id, name: 'Interno', url: 'http://127.0.0.1:8099/' };
    expect((await importAndWait(service, document)).data?.reason).to.equal('address-refused');
  });
});
