import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { setContract } from '../../db/hosts/contracts.ts';
import { insertIndexedRecord } from '../support/searched-records.ts';
import { openService } from '../support/service.ts';
import { findViolations, listUnreachable } from './accessibility.ts';
import { openBrowser, openWatchedPage } from './browser.ts';
import { enterConsole, openView } from './console-page.ts';
import { makeInboxSteps } from './inbox-stage.ts';

/** The last is the one in which the page is used. */
const forms = [
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 1_280, height: 800, colorScheme: 'dark' },
  { width: 1_280, height: 800, colorScheme: 'light' },
] as const;

/** Where every control can be reached: a window, half of one, a phone that lies, one that stands, a small one. */
const windows = [
  [1_280, 800],
  [1_024, 768],
  [844, 390],
  [390, 844],
  [320, 640],
] as const;

/** As long as people are called. */
const PERSON = 'Ana Carolina Bragança de Albuquerque Vasconcelos Figueiredo';
const COLLEAGUE = 'Caio Fernando Montenegro de Alcântara';

/** Conversations by the name of the person: each offers something else. */
const states = {
  Eva: { ask_human_help: true },
  Leo: { ask_human_help: true, assigned_to: 'Bia' },
  Iris: { closed: true },
  Noé: {},
};

/** Each view, with the button that opens its form in a drawer. */
const drawers = {
  conhecimento: 'Nova base',
  assistentes: 'Novo assistente',
  webhooks: 'Novo webhook',
  equipe: 'Convidar pessoa',
};

/** Each view, with what it shows when it is filled. */
const filled = {
  atendimento: '.inbox-row',
  conhecimento: '.list-row',
  assistentes: '.assistant',
  testar: '.log',
  busca: '[role=search]',
  relatorios: '.chart .stage',
  webhooks: '[aria-label=Entregas] li',
  equipe: '.list .initials',
  indice: '.health',
};

const LIST_TOO_WIDE = `[...document.querySelectorAll('.figure-value, .figure-value *, .spend-total')]
  .filter(each => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== 'inline')
  .map(each => each.textContent)`;

describe('the looks of the page at /console', () => {
  const service = openService();
  const { acme, demo } = service;
  const { begin, cite, done, update, write } = makeInboxSteps(service);
  before(async () => {
    service.model.say('A secretaria atende **de segunda a sexta**.\n\n![Mapa](https://example.com/mapa.png)');
    const conversationId = await begin(PERSON, 'Oi!');
    await cite(conversationId);
    await update(conversationId, { ask_human_help: true, assigned_to: COLLEAGUE });
    await write(conversationId, 'Já vejo.', 'human', COLLEAGUE);
    await write(conversationId, 'Já ligou duas vezes.', 'note', 'Bia');
    await done('savePerson', { name: 'Bia Souza', email: 'bia@horizonte.example', role: 'manager' });
    const hook = { name: 'CRM', url: 'https://crm.example.edu.br/parley', events: ['ticket.opened'] };
    const { webhookId } = await done('saveWebhook', hook);
    await done('testWebhook', { webhookId });
    await setContract(service.db, demo.hostId, { startsOn: '2020-01-01', price: '1234567.89', services: 1 });
    const lead = { firstname: PERSON, dealname: 'Ingresso no curso noturno de Administração Pública' };
    await insertIndexedRecord(service.db, demo.hostId, 'leads', lead);
    for (const [name, changes] of Object.entries(states)) {
      const id = await service.newConversation();
      const userData = { name, email: `${name.toLowerCase()}@horizonte.example` };
      await service.ask('Oi!', { conversationId: id, userData });
      await update(id, changes);
    }
  });

  let page: Page;
  const openPage = async () => {
    ({ page } = await openWatchedPage(await openBrowser()));
  };
  const enter = (token: string) => enterConsole(page, { ...service, token }, 'atendimento');
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
    await checkReach();
  };
  const checkReach = async () => {
    const faults: string[] = [];
    for (const [width, height] of windows) {
      await page.setViewportSize({ width, height });
      for (const fault of await listUnreachable(page)) faults.push(`${width}×${height}: ${fault}`);
    }
    await page.setViewportSize({ width: 1_280, height: 800 });
    expect(faults, 'controls that cannot be reached').to.deep.equal([]);
  };

  describe('has no findings of axe with data', () => {
    before(openPage);
    // This closes whatever the one before has opened.
    beforeEach(async () => {
      await page.setViewportSize({ width: 1_280, height: 800 });
      await page.keyboard.press('Escape');
    });
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
      await page.locator('.inbox-row', { hasText: PERSON }).click();
      await page.locator('.by-human').waitFor();
      await check();
      await page.getByRole('button', { name: 'Assumir também' }).click();
      await page.getByRole('dialog').waitFor();
      await check();
    });

    for (const [name, changes] of Object.entries(states))
      it(`in the conversation of ${name}, with what opens in it`, async () => {
        await page.getByRole('button', { name: 'closed' in changes ? 'Encerradas' : 'Abertas' }).click();
        await page.locator('.inbox-row', { hasText: name }).click();
        await page.getByRole('heading', { name, exact: true }).waitFor();
        await page.getByText('A secretaria atende').last().waitFor();
        await checkReach();
        await page.setViewportSize({ width: 844, height: 390 });
        // Enough to read, and to see the field below.
        expect(await page.evaluate('document.querySelector(".log").clientHeight')).to.be.greaterThan(100);
        await page.getByRole('button', { name: 'Sobre a pessoa' }).click();
        await page.getByRole('dialog', { name: 'Sobre a pessoa' }).waitFor();
        await checkReach();
      });

    it('in a conversation on a small phone, upright and on its side, which leaves room for its messages', async () => {
      const heightOf = (selector: string) =>
        page.evaluate<number>(`document.querySelector('${selector}').clientHeight`);
      await openView(page, 'atendimento');
      await page.getByRole('button', { name: 'Abertas' }).click();
      await page.locator('.inbox-row', { hasText: PERSON }).click();
      for (const part of ['.pane-head', '.composer']) await page.locator(part).waitFor();
      for (const [width, height] of [
        [320, 640],
        [844, 390],
      ] as const) {
        await page.setViewportSize({ width, height });
        expect((await heightOf('.pane-head')) + (await heightOf('.composer')), `${width}`).to.be.at.most(200);
        const sending = await page.getByRole('button', { name: 'Enviar' }).boundingBox();
        expect((sending?.y ?? height) + (sending?.height ?? 0), `${width}`).to.be.at.most(height);
      }
      await page.setViewportSize({ width: 320, height: 640 });
      const labels = `[...document.querySelectorAll('.rail-link > span:not(.rail-count)')]`;
      const isCut = 'each => each.clientWidth > 1 && each.scrollWidth > each.parentElement.clientWidth';
      expect(await page.evaluate(`${labels}.filter(${isCut}).length`)).to.equal(0);
      await page.getByRole('button', { name: /^Ações da conversa/ }).click();
      await page.getByRole('menuitem', { name: 'Encerrar' }).waitFor();
      await page.keyboard.press('Escape');
      await check([forms[0]]);
    });

    it('in a source, which is read beside its answer where there is room', async () => {
      await openView(page, 'atendimento');
      await page.getByRole('button', { name: 'Abertas' }).click();
      await page.locator('.inbox-row', { hasText: PERSON }).click();
      const about = page.getByRole('complementary', { name: 'Sobre a pessoa' });
      await about.getByRole('region', { name: 'Última resposta' }).getByRole('button').waitFor();
      const source = page.locator('.log button.source');
      await source.click();
      const passage = page.getByRole('dialog');
      await passage.locator('.passage-text').waitFor();
      expect(await findViolations(page)).to.deep.equal([]);
      for (const width of [1_280, 1_120]) {
        await page.setViewportSize({ width, height: 800 });
        const [read, answer] = await Promise.all([
          passage.boundingBox(),
          page.locator('.pane').boundingBox(),
        ]);
        expect(read?.x, `at ${width} pixels`).to.be.at.least((answer?.x ?? 0) + (answer?.width ?? 0));
        expect(answer?.width, `at ${width} pixels`).to.be.greaterThan(300);
      }
      await passage.getByRole('button', { name: 'Fechar' }).press('Escape');
      await passage.waitFor({ state: 'detached' });
      await page.setViewportSize({ width: 1_024, height: 768 });
      await source.click();
      await page.locator('dialog:modal .passage-text').waitFor();
      await check([forms[0]]);
    });

    for (const [view, action] of Object.entries(drawers))
      it(`in the drawer and the menus of ${view}`, async () => {
        await openView(page, view);
        await page.getByRole('button', { name: action }).first().click();
        await page.getByRole('dialog', { name: action }).waitFor();
        await check([forms[0], forms[3]]);
        await page.keyboard.press('Escape');
        const menus = page.getByRole('button', { name: /^Ações de/ });
        for (const menu of await menus.all()) {
          await menu.click();
          await checkReach();
          await page.keyboard.press('Escape');
        }
      });

    it('in each tab of a dataset', async () => {
      await openView(page, 'conhecimento');
      await page.getByRole('link', { name: 'Guia do aluno' }).click();
      for (const tab of await page.locator('.tabs a').all()) {
        await tab.click();
        await check([forms[0], forms[3]]);
      }
    });

    it('in results of the search, and in one that is opened', async () => {
      await openView(page, 'busca');
      await page.getByLabel('Buscar em').fill('Figueiredo');
      await page.keyboard.press('Enter');
      await page.locator('main .list mark').first().waitFor();
      await check();
      await page.locator('main .list a[href*="leads"]').click();
      await page.getByRole('dialog').getByText('Negócio').waitFor();
      await check([forms[0], forms[3]]);
    });

    it('in what opens in relatorios, where figures of seven digits fit their cards', async () => {
      await openView(page, 'relatorios');
      await page.locator('.figure-value', { hasText: 'R$' }).waitFor();
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(LIST_TOO_WIDE), `${width} pixels`).to.deep.equal([]);
      }
      await page.locator('main details').evaluateAll<void, { open: boolean }>(all => {
        for (const each of all) each.open = true;
      });
      await check([forms[0], forms[3]]);
      await page.locator('main button.as-link').first().click();
      await page.getByRole('dialog').waitFor();
      await check([forms[0], forms[3]]);
    });

    it('in the tabs of a page on a phone, of which the open one is in sight', async () => {
      await openView(page, 'integracoes');
      await page.setViewportSize({ width: 390, height: 844 });
      await page.locator('.tabs').getByRole('link', { name: 'Agentes' }).click();
      await page.getByRole('button', { name: 'Novo agente' }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Novo agente' }).waitFor();
      const { x = 0, width = 0 } = (await page.locator('.tabs [aria-current]').boundingBox()) ?? {};
      expect(x + width)
        .to.be.greaterThan(0)
        .and.at.most(390);
      expect(await page.evaluate(LIST_TOO_WIDE)).to.deep.equal([]);
    });

    it('in all parts of the console on a phone', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('button', { name: 'Mais', exact: true }).click();
      await checkReach();
    });
  });

  describe('has no findings of axe where there is nothing', () => {
    before(async () => {
      await openPage();
      await enter(acme.token);
    });
    after(() => page.close());

    for (const view of Object.keys(filled))
      it(`in ${view}`, async () => {
        await openView(page, view);
        for (const waiting of await page.locator('.waiting:visible').all())
          await waiting.waitFor({ state: 'hidden' });
        await check([forms[0], forms[3]]);
      });

    it('in indice, while it is read again', async () => {
      await openView(page, 'indice');
      const held = '**/admin/health*';
      await page.route(held, () => new Promise(() => undefined));
      await page.getByRole('button', { name: 'Atualizar' }).click();
      await page.locator('button[aria-busy=true]').waitFor();
      await check([forms[0], forms[3]]);
      await page.unroute(held);
    });
  });

  describe('has no findings of axe without a connection', () => {
    before(async () => {
      await openPage();
      await enter(acme.token);
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
      await page.locator('.inbox-row', { hasText: PERSON }).waitFor();
      await focusByTab(PERSON);
      await press('Enter');
      await page.getByRole('button', { name: 'Assumir também' }).waitFor();
      await focusByTab('Assumir também');
      await press('Enter');
      await page.getByLabel('Seu nome').waitFor();
      await page.keyboard.type('Bia');
      await press('Enter');
      await page.getByText(`Você e ${COLLEAGUE} atendem esta conversa.`).waitFor();
      await focusByTab('Sua resposta');
      await page.keyboard.type('Oi, Ana!');
      await press('Control+Enter');
      await page.locator('.by-human', { hasText: 'Oi, Ana!' }).waitFor();
      await page.close();
    });
  });
});
