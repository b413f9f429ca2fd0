import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { say } from '../support/scripted-model.ts';
import { borrowService, PUBLIC, type Service } from '../support/service.ts';
import { findViolations } from './accessibility.ts';
import { openBrowser, openWatchedPage } from './browser.ts';
import { enterConsole, openView } from './console-page.ts';

/** The last is the one in which the page is used. */
const forms = [
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 1_280, height: 800, colorScheme: 'dark' },
  { width: 1_280, height: 800, colorScheme: 'light' },
] as const;

/** Each view, with what it shows when it is filled. */
const filled = {
  atendimento: '.inbox-row',
  conhecimento: '.list-row',
  assistentes: '.assistant',
  testar: '.log',
  busca: '[role=search]',
  relatorios: '.chart .stage',
  webhooks: '[aria-label=Entregas] li',
  equipe: '.person',
  indice: '.health',
};

describe('the looks of the page at /console', () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    service = await borrowService();
    browser = await openBrowser();
    service.model.script(
      say('A secretaria atende **de segunda a sexta**.\n\n![Mapa](https://example.com/mapa.png)'),
    );
    const { demo, call } = service;
    const helper = (name: string, body: object) =>
      call(`${PUBLIC}/svcReasoning/${name}`, { hostId: demo.hostId, ...body });
    const conversationId = await service.newConversation();
    const { status } = await service.ask('Oi!', { conversationId, userData: { name: 'Ana Lima' } });
    expect(status).to.equal(200);
    await helper('updateConversationHelper', { conversationId, ask_human_help: true, assigned_to: 'Caio' });
    await helper('appendMessageHelper', {
      conversationId,
      author: 'human',
      content: 'Já vejo.',
      name: 'Caio',
    });
    const note = { conversationId, author: 'note', content: 'Já ligou duas vezes.', name: 'Bia' };
    await helper('appendMessageHelper', note);
    await helper('savePersonHelper', { name: 'Bia Souza', email: 'bia@horizonte.example', role: 'manager' });
    const hook = { name: 'CRM', url: 'https://crm.example.edu.br/parley', events: ['ticket.opened'] };
    const { body } = await helper('saveWebhookHelper', hook);
    await helper('testWebhookHelper', { webhookId: body.data.webhookId });
  });
  after(async () => {
    await service.close();
  });

  let page: Page;
  const openPage = async () => {
    ({ page } = await openWatchedPage(browser, { viewport: { width: 1_280, height: 800 } }));
  };
  const enter = (token: string) =>
    enterConsole(page, { baseURL: service.baseURL, token, view: 'atendimento' });
  /** Looks at the page in each form, or at each width and in each colour once, without opening it anew. */
  const check = async (inForms: readonly (typeof forms)[number][] = forms) => {
    for (const [at, { width, height, colorScheme }] of inForms.entries()) {
      // Beside another colour, only what is about colours can be otherwise.
      const rules = inForms[at - 1]?.width === width ? ['color-contrast'] : undefined;
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      const form = `at ${width} pixels, ${colorScheme}`;
      expect(await findViolations(page, rules), form).to.deep.equal([]);
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect(isTooWide, `it is wider than its window ${form}`).to.equal(false);
    }
  };

  describe('has no findings of axe with data', () => {
    before(openPage);
    after(() => page.close());

    it('at the sign-in', async () => {
      await page.goto(`${service.baseURL}/console`);
      await page.getByLabel('Token de acesso').waitFor();
      await check();
      await enter(service.demo.token);
    });

    for (const [view, sign] of Object.entries(filled))
      it(`in ${view}`, async () => {
        await openView(page, view);
        await page.locator(sign).locator('visible=true').first().waitFor();
        await check();
      });

    it('in an open conversation, and in a dialog', async () => {
      await openView(page, 'atendimento');
      await page.locator('.inbox-row').click();
      await page.locator('.by-human').waitFor();
      await check();
      await page.getByRole('button', { name: 'Assumir também' }).click();
      await page.getByRole('dialog').waitFor();
      await check();
    });
  });

  describe('has no findings of axe where there is nothing', () => {
    before(async () => {
      await openPage();
      await enter(service.acme.token);
    });
    after(() => page.close());

    for (const view of Object.keys(filled))
      it(`in ${view}`, async () => {
        await openView(page, view);
        for (const waiting of await page.locator('.waiting:visible').all())
          await waiting.waitFor({ state: 'hidden' });
        await check([forms[0], forms[3]]);
      });
  });

  describe('has no findings of axe without a connection', () => {
    before(async () => {
      await openPage();
      await enter(service.acme.token);
      await page.route('**/svcReasoning/**', route => route.abort());
    });
    after(() => page.close());

    it('in atendimento, where one line says that what was read is read again', async () => {
      await page.getByText('Sem conexão: o que você').waitFor();
      await check([forms[0], forms[3]]);
    });

    for (const view of ['conhecimento', 'assistentes', 'webhooks'])
      it(`in ${view}, which can be read again`, async () => {
        await openView(page, view);
        await page.locator('.trouble:visible').first().waitFor();
        expect(await page.locator('.trouble:visible button').count()).to.be.greaterThan(0);
        await check([forms[0], forms[3]]);
      });
  });

  // Last: what it does is seen by the others.
  describe('lets a person attend', () => {
    it('with the keyboard alone', async () => {
      await openPage();
      await enter(service.demo.token);
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      const focusByTab = async (text: string) => {
        for (let tries = 0; tries < 60; tries += 1) {
          await press('Tab');
          const focused = await page.evaluate<string>(
            `document.activeElement.labels?.[0]?.textContent || document.activeElement.ariaLabel ||
              document.activeElement.querySelector('strong')?.textContent || document.activeElement.textContent`,
          );
          if (focused.startsWith(text)) return;
        }
        throw new Error(`${text} has no place in the order of the keyboard`);
      };
      await page.locator('.inbox-row').waitFor();
      await focusByTab('Ana Lima');
      await press('Enter');
      await focusByTab('Assumir também');
      await press('Enter');
      await page.getByLabel('Seu nome').waitFor();
      await page.keyboard.type('Bia');
      await press('Enter');
      await page.getByText('Você e Caio atendem esta conversa.').waitFor();
      await focusByTab('Sua resposta');
      await page.keyboard.type('Oi, Ana!');
      await press('Control+Enter');
      await page.locator('.by-human', { hasText: 'Oi, Ana!' }).waitFor();
      await page.close();
    });
  });
});
