import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { type Call, prepareSite } from '../../console/pages/begin/begin-site.ts';
import { openMadeUpSite } from '../support/made-up-site.ts';
import { openEach, openOnce } from '../support/opened.ts';
import { argsOf } from '../support/program.ts';
import { runCommand, settingsOf } from '../support/run-command.ts';
import { hold, type ModelScript, say } from '../support/scripted-model.ts';
import type { ServedHost } from '../support/served-host.ts';
import { openOwnService } from '../support/service.ts';
import { makeFolder } from '../support/temp-folder.ts';

describe('npm run begin', () => {
  const service = openOwnService({ egressAllowPrivate: true });
  const { db, model } = service;
  const folder = openOnce(makeFolder);
  const site = openEach(openMadeUpSite);
  const host: ServedHost = openEach(() => service.addHost());

  const html = (name: string, body: string) =>
    site.answer(name, { body, headers: { 'content-type': 'text/html; charset=utf-8' } });
  const XSS = '<script>alert("x")</script>';
  const publishBlog = () => {
    const pages = ['biblioteca', 'inscricoes', 'antiga'];
    site.publish(pages);
    const urls = pages.map(name => `<url><loc>${site.origin}/${name}</loc></url>`).join('');
    const types = { headers: { 'content-type': 'application/xml' } };
    site.answer('sitemap.xml', { status: 404 });
    site.answer('wp-sitemap.xml', {
      body: `<sitemapindex><sitemap><loc>${site.origin}/posts.xml</loc></sitemap></sitemapindex>`,
      ...types,
    });
    site.answer('posts.xml', { body: `<urlset>${urls}</urlset>`, ...types });
    site.answer('robots.txt', {
      body: `User-agent: *\nDisallow: /wp-admin/\n\nSitemap: ${site.origin}/wp-sitemap.xml\n`,
      headers: { 'content-type': 'text/plain' },
    });
    html('', '<title>Universidade Exemplo</title><p>Bem-vindo.</p>');
    html(
      'biblioteca',
      `<title>Biblioteca &lt;script&gt;alert("x")&lt;/script&gt;</title><h2>Horário</h2><p>A biblioteca abre das 8h às 22h.</p>`,
    );
    html(
      'inscricoes',
      '<title>Vestibular</title><h2>Taxa de inscrição</h2><p>A taxa é de R$ 85,00.</p><h2>Como me inscrevo?</h2><p>No portal do aluno.</p>',
    );
    site.answer('antiga', { status: 503 });
  };

  const argsFor = (address: string, out: string) => [
    '--host',
    host.slug,
    '--out',
    folder.pathOf(out),
    address,
  ];
  const settings = () => {
    const { redisUrl } = service.settings;
    return {
      ...settingsOf(service, folder.path),
      EGRESS_ALLOW_PRIVATE: 'true',
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    };
  };
  const run = (address: string, ...more: string[]) =>
    runCommand('begin', [...argsFor(address, 'report.html'), ...more], settings());
  const answers: ModelScript = (request, response) => {
    const question = request.messages.at(-1)?.content;
    const text = /taxa/i.test(String(question))
      ? 'A taxa é de R$ 85,00.'
      : /horário/i.test(String(question))
        ? `A biblioteca abre das 8h às 22h. ${XSS}`
        : 'Não encontrei essa informação.';
    return say(text)(request, response);
  };
  beforeEach(() => model.script(answers));

  /** All that it makes for the host. */
  const made = async () => {
    const rows = (table: string, column: string) =>
      db(table).where({ host_id: host.hostId }).orderBy(column).pluck(column);
    const [cases] = await db('evaluation_cases').where({ host_id: host.hostId }).pluck('cases');
    return {
      avatars: await rows('avatars', 'id'),
      datasets: await rows('datasets', 'id'),
      imports: await rows('document_imports', 'id'),
      chunks: await rows('chunks', 'id'),
      questions: (cases ?? []).map(({ question }: { question: string }) => question),
    };
  };

  it('reads the pages of a sitemap, asks what their headings ask, and says what is answered and what is not', async () => {
    publishBlog();
    const { code, out, err } = await run(site.origin);
    expect({ code, err }, out).to.deep.equal({ code: 0, err: '' });
    const first = await made();
    expect(first.questions).to.deep.equal([
      'Como me inscrevo?',
      'Qual é o horário?',
      'Qual é a taxa de inscrição?',
    ]);
    const report = await folder.read('report.html');
    expect(report).to.contain('De 3 perguntas: 2 com resposta do site, 0 para conferir, 1 sem resposta.');
    expect(report).to.contain('1 página não foi lida').and.contain(`${site.origin}/antiga`);
    expect(report).to.contain('2 páginas, 3 trechos');
    expect(report).to.match(/class="missing">\s*<h3>Como me inscrevo\?/);
    expect(report).to.match(/class="answered">\s*<h3>Qual é a taxa de inscrição\?/);
    const again = await run(site.origin);
    expect({ code: again.code, err: again.err }).to.deep.equal({ code: 0, err: '' });
    expect(await made()).to.deep.equal(first);
  });

  it('says what contradicts itself in its first run', async () => {
    const price = (amount: number) => `<p>A segunda via do diploma impresso custa R$ ${amount},00.</p>`;
    html('', `<title>Escola</title><h2>Diploma</h2>${price(180)}<h2>Taxas</h2>${price(220)}`);
    expect((await run(site.origin)).code).to.equal(0);
    const report = await folder.read('report.html');
    expect(report).to.contain('custa R$ 180,00.”').and.to.contain('custa R$ 220,00.”');
    expect(report).not.to.contain('Nenhuma contradição');
  });

  it('makes for two who begin at once what it makes for one', async () => {
    html('', '<title>Escola</title><h1>Endereço</h1><p>Rua das Flores, 10.</p>');
    const call = async (...[name, body]: Parameters<Call>) => {
      const { status, body: answer } = await host.call(name, body);
      if (status >= 400) throw new Error(JSON.stringify(answer));
      return answer.data;
    };
    const readHosted = async () =>
      (await host.call('listAvatars', { host_slug: host.slug })).body.data.avatarsAdminList;
    const order = {
      readHosted,
      address: site.origin,
      onStep: () => {},
      pause: () => setImmediate(),
    };
    let first: unknown;
    const late = async (...[name, body]: Parameters<Call>) => {
      if (name === 'createSubAvatar') first ??= await prepareSite(call, order);
      return call(name, body);
    };
    expect(await prepareSite(late, order))
      .to.have.property('cases')
      .that.has.length(1);
    const { avatars, datasets, imports } = await made();
    expect([avatars.length, datasets.length, imports.length]).to.deep.equal([2, 1, 1]);
  });

  it('reads a single page where there is no sitemap', async () => {
    html('', '<title>Escola</title><h1>Endereço</h1><p>Rua das Flores, 10.</p>');
    expect((await run(site.origin)).code).to.equal(0);
    const first = await made();
    expect(first.questions).to.deep.equal(['Qual é o endereço?']);
    expect((await run(`${site.origin}/`)).code).to.equal(0);
    expect(await made()).to.deep.equal(first);
  });

  it('reads a page whose address is long, and another that begins as it does', async () => {
    const [one, other] = ['1', '2'].map(end => `${'curso-'.repeat(40)}${end}`) as [string, string];
    for (const name of [one, other]) {
      html(name, `<title>Curso</title><h1>Endereço</h1><p>Rua das Flores, ${name.at(-1)}0.</p>`);
      for (const _again of [false, true]) {
        const { code, err } = await run(`${site.origin}/${name}`, '--avatar', `curso-${name.at(-1)}`);
        expect([code, err]).to.deep.equal([0, '']);
      }
    }
    const { datasets, imports, chunks } = await made();
    expect([datasets.length, imports.length, chunks.length]).to.deep.equal([2, 2, 2]);
  });

  it('shows what strangers and models write as text, and has no script', async () => {
    publishBlog();
    await run(site.origin);
    const report = await folder.read('report.html');
    expect(report).not.to.match(/<script/i);
    expect(report).to.contain('&#60;script&#62;alert(&#34;x&#34;)');
  });

  it('goes on after it was killed while the site is read, and while it asks', async () => {
    publishBlog();
    const start = () =>
      spawn(process.execPath, [...argsOf('commands/begin.ts'), ...argsFor(site.origin, 'killed.html')], {
        env: settings(),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    const reading = start();
    for await (const said of reading.stdout) if (String(said).includes('Reading')) reading.kill('SIGKILL');
    const { imports, datasets, avatars } = await made();
    expect([imports.length, datasets.length, avatars.length]).to.deep.equal([1, 1, 2]);
    const held = hold(answers);
    model.script(held.script);
    const asking = start();
    const ended = once(asking, 'exit');
    await Promise.race([held.held, ended]);
    asking.kill('SIGKILL');
    await ended;
    held.release();
    model.script(answers);
    const before = await made();
    expect(before).to.deep.include({ imports, datasets, avatars });
    expect(before.questions).to.have.length(3);
    expect((await run(site.origin)).code).to.equal(0);
    expect(await made()).to.deep.equal(before);
  });

  it('changes nothing of an assistant that people may be talking to, and nothing for an address that nobody can read', async () => {
    publishBlog();
    const before = await made();
    const [subSlug] = await db('avatars').where({ host_id: host.hostId }).pluck('sub_slug');
    site.answer('', { status: 503 });
    const away = await run(site.origin);
    expect([
      away.code,
      away.err.includes(`${site.origin}/ cannot be read: it did not answer, refused`),
    ]).to.deep.equal([1, true]);
    expect(await made()).to.deep.equal(before);
    html('', 'a '.repeat(9 * 1_048_576));
    expect((await run(site.origin)).err).to.contain('a part of the site');
    expect(await made()).to.deep.equal(before);
    publishBlog();
    const refused = await run(site.origin, '--avatar', subSlug);
    expect(refused.code).to.equal(1);
    expect(refused.err).to.contain('choose another --avatar');
    expect(await made()).to.deep.equal(before);
  });
});
