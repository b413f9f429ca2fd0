import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openOnce } from '../support/opened.ts';
import { startReceiver } from '../support/receiver.ts';
import { sayInPieces } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';
import { findViolations } from './accessibility.ts';
import { openBrowser, openWatchedPage, type WatchedPage } from './browser.ts';

const ATTACK =
  '<img src=x onerror="document.title=1"><script>document.title=2</script>[x](javascript:alert(1))';

interface Styled {
  readonly ownerDocument: {
    readonly defaultView: { getComputedStyle(of: Styled): Readonly<Record<string, string>> };
  };
}

/** The chat on a page of another origin, whose policy allows nothing but the two lines of the guide. */
describe('the chat on the page of a site', () => {
  const service = openService();
  const { demo, model } = service;
  const site = openOnce(startReceiver);
  let publicKey = '';
  /** Of pages whose policy allows their own scripts and styles: what stands in the head, and the attributes of the body. */
  let own: { readonly head: string; readonly body?: string } | undefined;
  let opened: WatchedPage | undefined;
  before(async () => {
    const { origin } = new URL(site.url);
    const chat = { avatarId: demo.avatarId, origins: [origin], title: 'Fale com a gente', greeting: 'Olá!' };
    publicKey = (await demo.call('saveSiteChat', chat)).body.data.publicKey;
    site.script(({ path }, response) => {
      const policy = `default-src 'none'; script-src ${service.baseURL}; connect-src ${service.baseURL}; base-uri 'none'`;
      const policies = own || path !== '/' ? {} : { 'content-security-policy': policy };
      response.writeHead(200, { 'content-type': 'text/html', ...policies });
      if (path !== '/') return void response.end(`<!doctype html>${framed[path.slice(1)]}`);
      response.end(
        `<!doctype html><html lang="pt-BR"><title>Exemplo</title>${own?.head ?? ''}<body ${own?.body ?? ''}>` +
          `<main><h1>Exemplo</h1><a href="#a">Um link</a></main>` +
          `<script src="${service.baseURL}/site-chat/chat.js" data-key="${publicKey}" async></script>`,
      );
    });
  });
  beforeEach(() => model.say('Das 8h às 21h.'));
  afterEach(async () => {
    await opened?.page.context().close();
    opened = undefined;
    own = undefined;
  });

  /** Pages with the page of the site in a frame. */
  const framed: Readonly<Record<string, string>> = {
    frame: '<iframe src="/" style="width: 600px; height: 600px"></iframe>',
    sandbox: '<iframe src="/" sandbox="allow-scripts"></iframe>',
  };
  const visit = async (options: Parameters<typeof openWatchedPage>[1] = {}, path = '/'): Promise<Page> => {
    opened = await openWatchedPage(await (await openBrowser()).newContext(options));
    await opened.page.goto(site.url + path);
    return opened.page;
  };
  const launcher = (page: Page) => page.getByRole('button', { name: 'Abrir o chat' });
  const input = (page: Page) => page.getByRole('textbox', { name: 'Sua pergunta' });
  const log = (page: Page) => page.getByRole('log', { name: 'Conversa' });
  const ask = async (page: Page, question: string) => {
    await input(page).fill(question);
    await input(page).press('Enter');
  };
  /** The answer is whole and stored, and something else can be asked. */
  const answered = (page: Page, text: string) =>
    page.locator('[role=log][aria-busy=false] .message.assistant', { hasText: text }).waitFor();
  const conversationId = async () =>
    (await demo.call('listConversations', { platform: 'site' })).body.data.items[0].id as string;

  for (const width of [320, 390, 1_280])
    for (const colorScheme of ['light', 'dark'] as const)
      it(`is usable at ${width} pixels, ${colorScheme}, under a strict policy`, async () => {
        const page = await visit({ viewport: { width, height: 640 }, colorScheme });
        await launcher(page).click();
        await ask(page, 'Que horas abre?');
        await answered(page, 'Das 8h às 21h.');
        expect(await findViolations(page)).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).to.equal(false);
        for (const part of [input(page), page.getByRole('button', { name: 'Enviar' })]) {
          const box = await part.boundingBox();
          expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= width).to.equal(true);
        }
        expect(opened?.complaints).to.deep.equal([]);
      });

  it('is opened, asked and closed with the keyboard, and gives the focus back', async () => {
    const page = await visit();
    await launcher(page).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('Que horas abre?');
    await page.keyboard.press('Enter');
    await answered(page, 'Das 8h às 21h.');
    await page.keyboard.press('Escape');
    await input(page).waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await input(page).waitFor();
  });

  it('shows what anybody writes as text, and follows no script', async () => {
    const page = await visit();
    await launcher(page).click();
    model.say(`**Ouça**: ${ATTACK} https://exemplo.edu.br/a.`);
    await ask(page, ATTACK);
    await answered(page, 'Ouça');
    const human = { author: 'human', content: ATTACK, name: ATTACK };
    await demo.call('appendMessage', { conversationId: await conversationId(), ...human });
    await log(page).locator('.message.staff').waitFor();
    expect(await log(page).locator('img, script').count()).to.equal(0);
    const links = await log(page)
      .getByRole('link')
      .evaluateAll(all => all.map(each => each.getAttribute('href')));
    expect(links).to.deep.equal(['https://exemplo.edu.br/a']);
    expect(await log(page).locator('strong', { hasText: 'Ouça' }).count()).to.equal(1);
    expect(await page.title()).to.equal('Exemplo');
  });

  it('shows an answer that is being made when the page is loaded again, once', async () => {
    const page = await visit();
    await launcher(page).click();
    let go = () => {};
    const gate = new Promise<void>(resolve => (go = resolve));
    model.script(sayInPieces(['Das 8h ', 'às 21h.'], at => (at === 0 ? Promise.resolve() : gate)));
    await ask(page, 'Que horas abre?');
    await log(page).getByText('Das 8h').waitFor();
    await page.reload();
    await log(page).getByText('Escrevendo…').waitFor();
    go();
    await answered(page, 'Das 8h às 21h.');
    const said = await log(page).locator('.message > div:nth-child(2)').allInnerTexts();
    expect(said).to.deep.equal(['Olá!', 'Que horas abre?', 'Das 8h às 21h.']);
  });

  it('sends a question again when the connection is back, once', async () => {
    const page = await visit();
    await launcher(page).click();
    await page.context().setOffline(true);
    await ask(page, 'Que horas abre?');
    await page.getByRole('status').getByText('Sem conexão').waitFor();
    await page.context().setOffline(false);
    await answered(page, 'Das 8h às 21h.');
    const { items } = (await demo.call('listMessages', { conversationId: await conversationId() })).body.data;
    expect(items.map(({ author }: { author: string }) => author)).to.deep.equal(['user', 'assistant']);
  });

  it('counts what a colleague writes while it is closed, and shows it when it is opened', async () => {
    const page = await visit();
    await launcher(page).click();
    await ask(page, 'Quero falar com alguém.');
    await answered(page, 'Das 8h às 21h.');
    await page.getByRole('button', { name: 'Fechar o chat' }).click();
    await demo.call('appendMessage', {
      conversationId: await conversationId(),
      author: 'human',
      content: 'Olá, sou a Bia.',
      name: 'Bia',
    });
    // As when the person comes back from another tab; by itself it looks every 20 seconds.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole('button', { name: '1 mensagens novas' }).click();
    await log(page).locator('.message.staff', { hasText: 'Olá, sou a Bia.' }).waitFor();
    expect(await log(page).locator('.message.staff .who').innerText()).to.equal('Bia');
  });

  it('stores nothing before the first question, and no cookie ever', async () => {
    const page = await visit();
    await launcher(page).click();
    await input(page).waitFor();
    expect(await page.evaluate('Object.keys(localStorage)')).to.deep.equal([]);
    await ask(page, 'Que horas abre?');
    await answered(page, 'Das 8h às 21h.');
    expect(await page.evaluate('Object.keys(localStorage)')).to.deep.equal([`parley-chat ${publicKey}`]);
    expect(await page.context().cookies()).to.deep.equal([]);
  });

  it('opens the passage of an answer', async () => {
    const page = await visit();
    await launcher(page).click();
    await ask(page, 'Qual é o horário da secretaria?');
    const source = log(page).locator('details', { hasText: 'Fonte: Guia do aluno' }).first();
    await source.locator('summary').click();
    await source.locator('.passage', { hasText: '21h' }).waitFor();
  });

  for (const [kind, script] of Object.entries({
    'a library that extends arrays, texts and elements': `
      var toArray = function () { return [].slice.call(this); };
      Object.assign(Array.prototype, { entries: toArray, toJSON: function () { return 'array'; },
        reduce: function () { return this[0]; } });
      Array.from = function () { return []; };
      String.prototype.toJSON = function () { return 'text'; };
      Object.prototype.extend = function () {};
      Object.keys = function (all) { var keys = []; for (var key in all) keys.push(key); return keys; };
      HTMLElement.prototype.scrollTo = function () { document.title = 'scrolled'; };`,
    'scripts that take the names of the browser': `
      var fetch = function () { throw new Error('not yours'); };
      var URL = 'https://www.exemplo.edu.br';
      var JSON = { parse: eval, stringify: function () { return 'null'; } };
      var Promise = function () {}, TextDecoderStream = 1, $ = 1, name = 1;`,
    'a fetch that knows no streams': `
      var own = window.fetch;
      window.fetch = function () { return own.apply(this, arguments).then(function (response) {
        return { ok: response.ok, status: response.status, text: function () { return response.text(); },
          json: function () { return response.json(); } }; }); };`,
    'a browser that lets it store nothing': `
      Object.defineProperty(window, 'localStorage', { get: function () { throw new DOMException('no', 'SecurityError'); } });`,
  }))
    it(`answers beside ${kind}`, async () => {
      own = { head: `<script>${script}</script>` };
      const page = await visit();
      await launcher(page).click();
      await ask(page, 'Que horas abre?');
      await answered(page, 'Das 8h às 21h.');
      await ask(page, 'E "amanhã"?');
      await page.locator('[aria-busy=false]').waitFor();
      const said = await log(page).locator('.message > div:nth-child(2)').allInnerTexts();
      expect(said).to.deep.equal([
        'Olá!',
        'Que horas abre?',
        'Das 8h às 21h.',
        'E "amanhã"?',
        'Das 8h às 21h.',
      ]);
      expect(await page.title()).to.equal('Exemplo');
      expect(opened?.complaints).to.deep.equal([]);
    });

  it('stands in its corner, and looks the same, whatever styles the page has', async () => {
    const looks = async () => {
      const page = await visit({ reducedMotion: 'reduce' });
      await launcher(page).click();
      await input(page).waitFor();
      const boxes = [await launcher(page).boundingBox(), await input(page).boundingBox()];
      const style = await input(page).evaluate<object, Styled>(node => {
        const { color, fontSize, letterSpacing, textTransform, direction, opacity } =
          node.ownerDocument.defaultView.getComputedStyle(node);
        return { color, fontSize, letterSpacing, textTransform, direction, opacity };
      });
      await page.context().close();
      return { boxes, style };
    };
    const plain = await looks();
    own = {
      head: `<style>html { direction: rtl } body { height: 3000px; transform: translateX(-40px); filter: grayscale(1) }
        body, body *, parley-chat { letter-spacing: 4px !important; text-transform: uppercase !important;
          position: relative !important; color: red !important; transform: rotate(9deg) !important; font-size: 30px !important;
          float: left !important; visibility: hidden; zoom: 2; width: 10px !important; direction: rtl !important; }</style>`,
      body: 'dir="rtl"',
    };
    expect(await looks()).to.deep.equal(plain);
  });

  it('answers in a page that stands in a frame', async () => {
    const page = await visit({}, '/frame');
    const inFrame = page.frameLocator('iframe');
    await inFrame.getByRole('button', { name: 'Abrir o chat' }).click();
    await inFrame.getByRole('textbox', { name: 'Sua pergunta' }).fill('Que horas abre?');
    await inFrame.getByRole('button', { name: 'Enviar' }).click();
    await inFrame.locator('.message.assistant', { hasText: 'Das 8h às 21h.' }).waitFor();
  });

  it('tells the developer of a page without an origin, or with another, why there is none', async () => {
    const context = await (await openBrowser()).newContext();
    opened = await openWatchedPage(context);
    const { page } = opened;
    const warned = page.waitForEvent('console', message => message.type() === 'warning');
    await page.goto(`${site.url}/sandbox`);
    expect((await warned).text()).to.include('allow-same-origin');
    const elsewhere = page.waitForEvent('console', message => message.text().includes('Parley'));
    await page.goto(site.url.replace('127.0.0.1', 'localhost'));
    expect((await elsewhere).text()).to.include(site.url.replace('127.0.0.1', 'localhost'));
  });
});
