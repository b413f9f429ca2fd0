import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { readEntries } from '../../commands/console-texts.mjs';
import { openService } from '../support/service.ts';
import { expectUsable } from './accessibility.ts';
import { openPage } from './browser.ts';

/** What people read or hear of the page. */
const LIST_TEXTS = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode.data);
  for (const each of document.querySelectorAll('[aria-label], [placeholder], [title]'))
    texts.push(each.ariaLabel, each.placeholder, each.title);
  return texts.flatMap(text => text?.trim() || []);
})()`;

/** What browsers ask for, how an amount is written, and a day from which it is paid. */
const readers = { en: ['en-US', '1,200.5', '2031-01-01'], es: ['es-MX', '1.200,5', '2031-01-02'] } as const;

describe('the languages of the page at /console', () => {
  const service = openService();
  const { demo } = service;
  before(() => demo.ask('Qual o valor da mensalidade?'));

  for (const [language, [locale, amount, day]] of Object.entries(readers))
    describe(language, () => {
      const watched = openPage({ locale });
      const { page } = watched;
      const entries = readEntries(language);
      const say = (text: string) => entries[text] ?? text;
      const portuguese = new Set(Object.keys(entries).filter(text => entries[text] !== text));

      const listHrefs = (selector: string) =>
        page.locator(selector).evaluateAll<string[], { href: string }>(all => all.map(({ href }) => href));
      const lookAt = async (href: string) => {
        await page.goto(href);
        await page.locator('main > *').first().waitFor();
        for (const waiting of await page.locator('.waiting:visible').all())
          await waiting.waitFor({ state: 'hidden' });
        const texts = await page.evaluate<string[]>(LIST_TEXTS);
        expect(
          texts.filter(text => portuguese.has(text)),
          href,
        ).to.deep.equal([]);
      };

      const press = (name: string) =>
        page
          .getByRole('button', { name: say(name), exact: true })
          .first()
          .click();

      it('is spoken where the browser asks for it: on the way in and on every page', async () => {
        await lookAt(`${service.baseURL}/`);
        await lookAt(`${service.baseURL}/console`);
        expect(await page.locator('html').getAttribute('lang')).to.equal(language);
        await expectUsable(page);
        await page.getByLabel(say('Token de acesso')).fill(service.operatorToken);
        await page.keyboard.press('Enter');
        await page.getByRole('combobox').selectOption(demo.hostId);
        await press('Escolher');
        await page.locator('#views').waitFor();
        const views = await listHrefs('#views a');
        expect(views.length).to.be.greaterThan(10);
        for (const view of views) {
          await lookAt(view);
          for (const tab of await listHrefs('.tabs a')) await lookAt(tab);
        }
        await expectUsable(page);
        expect(watched.complaints).to.deep.equal([]);
      });

      it('is the one in which amounts are typed and written', async () => {
        await page.goto(`${service.baseURL}/console#operacao/contratos`);
        await press('Novo contrato');
        const form = page.getByRole('dialog');
        await form.getByLabel(say('Desde')).fill(day);
        await form.getByLabel(say('Preço de um serviço')).fill(amount);
        await form.getByLabel(say('Serviços por mês')).fill('900');
        await press('Salvar');
        await page.getByText(`${amount}0 `).waitFor();
      });
    });

  it('are asked for by the browser or chosen, and a cache keeps them apart', async () => {
    const languageOf = async (asked: string, cookie = '') => {
      const headers = { 'accept-language': asked, cookie };
      const answer = await service.call('/console', undefined, { token: undefined, headers });
      expect(answer.headers.get('vary')).to.include('Accept-Language').and.include('Cookie');
      return /<html lang="(.+?)">/.exec(answer.body)?.[1];
    };
    expect(await languageOf('pt-PT,en;q=0.5')).to.equal('pt-BR');
    expect(await languageOf('de,es-AR;q=0.9,en;q=0.8')).to.equal('es');
    expect(await languageOf('de')).to.equal('pt-BR');
    expect(await languageOf('es', 'parley-language=en')).to.equal('en');
    expect(await languageOf('es', 'parley-language=../../package')).to.equal('es');
  });

  describe('a choice', () => {
    const { page } = openPage({ locale: 'de-DE' });

    it('stays in the browser, whatever it asks for; without one, who asks for none of them gets Portuguese', async () => {
      await page.goto(`${service.baseURL}/console`);
      await choose(page, 'Idioma do painel', 'Español', 'Escolher');
      await page.getByRole('heading', { name: 'Panel de Parley' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Panel de Parley' }).waitFor();
      await page.getByLabel('Token de acceso').fill(demo.token);
      await page.keyboard.press('Enter');
      // The way in has the same button.
      await page.locator('#views').waitFor();
      await choose(page, 'Idioma del panel', 'English', 'Elegir');
      await page.getByRole('link', { name: 'Reports' }).waitFor();
      expect(await page.locator('html').getAttribute('lang')).to.equal('en');
    });
  });
});

async function choose(page: Page, button: string, language: string, action: string): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('dialog').getByRole('combobox').selectOption({ label: language });
  await page.getByRole('dialog').getByRole('button', { name: action }).click();
}
