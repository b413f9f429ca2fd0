import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { insertSignInLink } from '../../db/hosts/sessions.ts';
import { makeToken } from '../../db/hosts/token-text.ts';
import { insertToken } from '../../db/hosts/tokens.ts';
import { type TokenScope, tokenScopes } from '../../queues/contract/operation.ts';
import { ordinaryScopes } from '../../queues/contract/operations/tokens.ts';
import { openService } from '../support/service.ts';
import { openBrowser, openPage, openWatchedPage } from './browser.ts';
import { enterConsole, openView, sendQuestion, signIn, signOut } from './console-page.ts';

const allViews =
  'atendimento busca comecar conhecimento assistentes perguntas testar relatorios equipe equipes webhooks integracoes configuracoes indice'.split(
    ' ',
  );

describe('signing in on the page at /console', () => {
  const service = openService();
  const { demo } = service;
  const watched = openPage();
  const { page } = watched;
  // The page is as one that was never here: a page of its own takes a second to open.
  afterEach(async () => {
    await page.unrouteAll();
    await page.goto(`${service.baseURL}/`);
    await page.evaluate('sessionStorage.clear(); localStorage.clear()');
    await page.context().clearCookies();
    watched.forget();
  });

  const makeLink = async (name: string) => {
    const { text, hash } = makeToken('lnk');
    const rights = { scopes: tokenScopes, expiresAt: null, hostIds: [demo.hostId] };
    const tokenId = await insertToken(service.db, { name, hash: makeToken().hash, ...rights });
    await insertSignInLink(service.db, { hash, tokenId, minutes: 10 });
    return text;
  };

  it('is a page that may run only its own scripts and talk only to its own service', async () => {
    const { headers } = await service.call('/console', undefined, { token: undefined });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).to.include("default-src 'none'").and.include("script-src 'self';");
    expect(policy).to.include("connect-src 'self'").and.include("frame-ancestors 'none'");
    expect(policy).not.to.match(/unsafe/);
  });

  it('can be kept on a phone: it has a manifest, which its policy allows, and no worker', async () => {
    await page.goto(`${service.baseURL}/console`);
    const href = await page.locator('link[rel=manifest]').getAttribute('href');
    const { status, headers, body } = await service.call(href ?? '', undefined, { token: undefined });
    expect([status, headers.get('content-type')?.split(';')[0]]).to.deep.equal([
      200,
      'application/manifest+json',
    ]);
    expect(body).to.include({ start_url: '/console', display: 'standalone' });
    expect((await service.call(body.icons[0].src, undefined, { token: undefined })).status).to.equal(200);
    const client = await page.context().newCDPSession(page);
    expect((await client.send('Page.getAppManifest')).errors).to.deep.equal([]);
  });

  it('serves the files of the page, and no other', async () => {
    for (const path of ['/console/tsconfig.json', '/console/..%2fpackage.json', '/console/nothing.js'])
      expect((await service.call(path)).status, path).to.equal(404);
  });

  it('says plainly that a token is wrong, with the id of the request', async () => {
    await signIn(page, { ...service, token: 'svc_wrong' });
    const trouble = page.locator('.trouble');
    await trouble.getByText('Detalhes').click();
    expect(await trouble.innerText()).to.match(
      /O acesso está errado, venceu ou foi revogado\n[^]*Código 401[^]*Pedido \S+/,
    );
    expect(await page.locator('#views').isVisible()).to.equal(false);
    expect(await page.evaluate('sessionStorage.length')).to.equal(0);
  });

  it('is found from the address of the service alone, with the other pages', async () => {
    await page.goto(service.baseURL);
    const links = await page.getByRole('link').evaluateAll(all => all.map(link => link.getAttribute('href')));
    expect(links).to.deep.equal(['/console', '/docs', '/admin/queues']);
  });

  it('lets the bearer of a token for several institutions choose one', async () => {
    const token = await service.makeToken({ hostIds: [demo.hostId, service.acme.hostId] });
    await signIn(page, { ...service, token });
    await page.getByLabel('Este acesso vale para várias instituições. Qual?').selectOption(demo.hostId);
    await page.getByRole('button', { name: 'Escolher' }).click();
    await page.locator('#views').waitFor();
    service.model.say('Olá!');
    await sendQuestion(page, 'Oi');
    expect(await page.locator('#host-name').innerText()).not.to.equal('');
  });

  const viewsOf = async (scopes: readonly TokenScope[], view: string) => {
    const token = await service.makeToken({ hostIds: [demo.hostId], scopes });
    await enterConsole(page, { ...service, token }, view);
    const shown = page.locator('#views a:visible');
    const names = await shown.evaluateAll<string[], { hash: string }>(all =>
      all.map(({ hash }) => hash.slice(1)),
    );
    const open = await page.locator('#views a[aria-current=page]').getAttribute('href');
    return [names.join(' '), open?.split('#')[1]];
  };

  it('shows a session what it may see and nothing else, whatever the address names', async () => {
    expect(await viewsOf(ordinaryScopes, 'indice')).to.deep.equal([
      'atendimento busca comecar conhecimento assistentes perguntas testar relatorios equipes webhooks integracoes',
      'atendimento',
    ]);
    await page.locator('#views a[href$="#relatorios"]').click();
    await page.evaluate("location.hash = 'indice'");
    await page.locator('#views a[href$="#atendimento"][aria-current=page]').waitFor();
    await page.reload();
    await page.locator('#views').waitFor();
    expect(await page.locator('#views a[href$="#indice"]').isVisible()).to.equal(false);
    expect(watched.complaints).to.deep.equal([]);
  });

  it('shows all of it to a session that may do everything', async () => {
    expect(await viewsOf(tokenScopes, 'indice')).to.deep.equal([allViews.join(' '), 'indice']);
  });

  it('lets a token that may not converse go on to what it may', async () => {
    expect(await viewsOf(['search', 'report'], 'conversa')).to.deep.equal(['busca relatorios', 'busca']);
    expect(watched.complaints).to.deep.equal([]);
  });

  it('says so where a token may see nothing of it', async () => {
    const token = await service.makeToken({ hostIds: [demo.hostId], scopes: ['intake'] });
    await signIn(page, { ...service, token });
    await page.getByText('Este acesso não permite ver nenhuma parte do painel').waitFor();
  });

  it('says so where the host is disabled', async () => {
    const { acme } = service;
    await setHost(service.db, acme.slug, { disabled: true });
    await signIn(page, { ...service, token: acme.token });
    await page.getByText('A instituição está desativada').waitFor();
    await setHost(service.db, acme.slug, { disabled: false });
  });

  it('keeps the token out of every address and page, over a reload, until one signs out', async () => {
    const addresses: string[] = [];
    page.on('request', request => addresses.push(request.url()));
    await enterConsole(page, service);
    await page.reload();
    await page.locator('#views').waitFor();
    expect(addresses.join()).not.to.include(demo.token);
    expect(page.url()).not.to.include(demo.token);
    expect(await page.content()).not.to.include(demo.token);
    // This browser keeps longer which messages were seen.
    const all = 'JSON.stringify([localStorage, sessionStorage]) + document.cookie';
    const kept = await page.evaluate<string>(all);
    expect(kept).not.to.include(demo.token).and.not.include('ses_');
    await page.getByRole('button', { name: 'Sair' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sair do painel?' });
    expect(await dialog.innerText()).to.include('Para voltar, você precisa do token de acesso');
    await dialog.getByRole('button', { name: 'Cancelar' }).click();
    expect(await page.locator('#views').isVisible()).to.equal(true);
    await signOut(page);
    await page.getByLabel('Token de acesso').waitFor();
    expect(await page.evaluate('sessionStorage.length')).to.equal(0);
    await page.reload();
    await page.getByLabel('Token de acesso').waitFor();
    expect(watched.complaints).to.deep.equal([]);
  });

  it('shows another tab the same session, and ends it in both when it ends', async () => {
    const context = await (await openBrowser()).newContext({ locale: 'pt-BR' });
    const [page, other] = [await context.newPage(), await context.newPage()];
    await enterConsole(page, service, 'busca');
    await other.goto(`${service.baseURL}/console#busca`);
    await other.locator('#views').waitFor();
    await signOut(other);
    await other.getByLabel('Token de acesso').waitFor();
    await page.getByRole('heading', { name: 'Sua sessão terminou' }).waitFor();
    await context.close();
  });

  it('opens when the service answers again, and asks nobody who is signed in for another link', async () => {
    await enterConsole(page, service, 'busca');
    let answer = () => {};
    const answered = new Promise<void>(resolve => {
      answer = resolve;
    });
    await page.route('**/avatarsListHelper', async route => {
      await answered;
      // Not for want of a connection: then it would also be read unasked.
      await route.fulfill({ status: 503 });
    });
    await page.reload();
    await page.getByText('Abrindo o painel').waitFor();
    answer();
    await page.getByText('Você continua conectado').waitFor();
    expect(await page.getByLabel('Token de acesso').count()).to.equal(0);
    await page.unroute('**/avatarsListHelper');
    await page.getByRole('button', { name: 'Tentar de novo' }).click();
    await page.locator('#views').waitFor();
    expect(page.url()).to.match(/#busca$/);
  });

  it('signs in by a link once, when the person agrees, and forgets its secret', async () => {
    const link = await makeLink('Bia');
    const addresses: string[] = [];
    page.on('request', request => addresses.push(request.url()));
    await page.goto(`${service.baseURL}/console#entrar=${link}`);
    await page.getByRole('button', { name: 'Entrar no painel' }).waitFor();
    expect(page.url()).to.equal(`${service.baseURL}/console`);
    expect(await service.db('sign_in_links')).to.have.length(1);
    await page.getByRole('button', { name: 'Entrar no painel' }).click();
    await page.locator('#views').waitFor();
    expect(await page.evaluate('JSON.parse(sessionStorage["parley-session"]).name')).to.equal('Bia');
    expect(addresses.join() + (await page.evaluate('JSON.stringify(sessionStorage)'))).not.to.include(link);
    expect(watched.complaints).to.deep.equal([]);
    await page.goto(`${service.baseURL}/console#entrar=${link}`);
    await page.getByRole('button', { name: 'Entrar no painel' }).click();
    await page.getByText('Este link já foi usado ou venceu').waitFor();
    await page.getByRole('button', { name: 'Seguir para o painel' }).click();
    await page.locator('#views').waitFor();
  });

  it('opens the conversations that wait where an address names no view, were it a name that every object has', async () => {
    await enterConsole(page, service);
    for (const nothing of ['nada', 'constructor', '__proto__', 'toString']) {
      await page.locator('nav a[href$="#busca"]').click();
      await page.evaluate(`location.hash = '${nothing}'`);
      await page.locator('nav a[href$="#atendimento"][aria-current=page]').waitFor();
    }
    expect(watched.complaints).to.deep.equal([]);
  });

  it('shows names as they are written, whatever they look like', async () => {
    const name = '<img src=x onerror="window.hit=1">"><svg onload=window.hit=1>';
    const host = { host_id: demo.hostId };
    await service.db('datasets').where(host).update({ name });
    await service.db('hosts').where({ id: demo.hostId }).update({ name });
    await service
      .db('conversations')
      .insert({ ...host, platform: name })
      .returning('id')
      .then(([{ id }]) =>
        service.db('messages').insert({ ...host, conversation_id: id, author: 'user', content: 'Oi' }),
      );
    await enterConsole(page, service);
    expect(await page.locator('#host-name').innerText()).to.equal(name);
    expect(await page.locator('.chat-reads').innerText()).to.include(name);
    await page.locator('nav a[href$="#relatorios"]').click();
    await page.getByText('Todos os números').click();
    await page.getByRole('rowheader', { name, exact: true }).waitFor();
    expect(await page.evaluate('window.hit')).to.equal(undefined);
    expect(watched.complaints).to.deep.equal([]);
  });

  it('lists what keys do, and says in Portuguese what a field lacks', async () => {
    await enterConsole(page, service, 'webhooks');
    await page.locator('h1').click();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Atalhos do teclado' });
    await list.getByText('Ctrl-K').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /Criar o primeiro webhook|Novo webhook/ }).click();
    const name = page.getByLabel('Nome');
    await page.getByRole('dialog').locator('[type=submit]').click();
    const messageOf = (field: typeof name) =>
      field.evaluate<string, { validationMessage: string }>(({ validationMessage }) => validationMessage);
    expect(await messageOf(name)).to.equal('Preencha este campo.');
    await name.fill('CRM?');
    expect([await messageOf(name), await list.count()]).to.deep.equal(['', 0]);
    const address = page.getByRole('textbox', { name: 'Endereço' });
    await address.fill('crm');
    await page.getByRole('dialog').locator('[type=submit]').click();
    expect(await messageOf(address)).to.match(/^Escreva um endereço inteiro/);
    await address.fill('');
    await page.getByRole('dialog').locator('[type=submit]').click();
    expect(await messageOf(address)).to.match(/^Escreva um endereço, como https:/);
  });

  it('can be used with the keyboard alone, and names every field', async () => {
    await enterConsole(page, service);
    for (const view of allViews) {
      await page.locator(`nav a[href$="#${view}"]`).focus();
      await page.keyboard.press('Enter');
      await page.locator(`nav a[href$="#${view}"][aria-current=page]`).waitFor();
      const fields = page.locator('input:visible, select:visible, textarea:visible, button:visible');
      const names = await fields.evaluateAll<boolean[], { labels?: { length: number } }>(all =>
        all.map(
          field =>
            (field.labels?.length ?? 0) > 0 ||
            (field.textContent ?? '').trim() !== '' ||
            (field.getAttribute('aria-label') ?? '') !== '',
        ),
      );
      expect(names, view).not.to.include(false);
    }
  });

  it('fits a phone, in the dark too', async () => {
    const phone = { viewport: { width: 360, height: 640 }, colorScheme: 'dark' } as const;
    const { page } = await openWatchedPage(await openBrowser(), phone);
    await enterConsole(page, service);
    const send = await page.getByRole('button', { name: 'Enviar' }).boundingBox();
    expect((send?.y ?? 0) + (send?.height ?? 640)).to.be.at.most(640);
    for (const view of allViews) {
      await openView(page, view);
      expect(await page.evaluate('document.documentElement.scrollWidth'), view).to.be.at.most(360);
    }
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal(
      'rgb(15, 22, 20)',
    );
    await page.close();
  });
});
