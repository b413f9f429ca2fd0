import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { openService } from '../support/service.ts';
import { findViolations } from './accessibility.ts';
import { openBrowser, openWatchedPage, type WatchedPage } from './browser.ts';
import { enterConsole, openView } from './console-page.ts';

describe('the team on the page at /console', () => {
  const service = openService();
  const { demo } = service;
  let browser: Browser;
  let opened: WatchedPage[];
  before(async () => {
    browser = await openBrowser();
  });
  beforeEach(() => {
    opened = [];
  });
  afterEach(async () => {
    for (const { page } of opened) await page.close();
    await service.db('people').delete();
  });

  const openPage = async (): Promise<Page> => {
    const watched = await openWatchedPage(browser, { viewport: { width: 1_280, height: 800 } });
    opened.push(watched);
    return watched.page;
  };
  const ask = async (name: string, body: object) =>
    (await service.call(`${SVC}/${name}`, { hostId: demo.hostId, ...body })).body.data;
  const add = async (name: string, role: string): Promise<string> =>
    (await ask('savePersonHelper', { name, role, email: `${name.split(' ')[0]}@horizonte.example` }))
      .personId;
  /** Signs a person in, in a browser of their own. */
  const enterAs = async (personId: string): Promise<Page> => {
    const page = await openPage();
    await page.goto((await ask('invitePersonHelper', { personId })).link);
    await page.getByRole('button', { name: 'Entrar no painel' }).click();
    await page.locator('#views').waitFor();
    return page;
  };

  it('lets who administrates invite a person with the keyboard alone, who enters by the link and sees what the role may', async () => {
    const page = await openPage();
    await enterConsole(page, { baseURL: service.baseURL, token: demo.token, view: 'equipe' });
    await page.getByText('Ainda não há ninguém na equipe').waitFor();
    await page.getByRole('button', { name: 'Convidar pessoa' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Nome').focus();
    await page.keyboard.type('Bia Souza');
    await page.keyboard.press('Tab');
    await page.keyboard.type('bia@horizonte.example');
    await page.keyboard.press('Enter');
    const link = await page.getByLabel('Link de entrada').inputValue();
    expect(link).to.match(/^http:\/\/127\.0\.0\.1:\d+\/console#entrar=lnk_\w+$/);
    expect(await findViolations(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await page.getByRole('listitem').filter({ hasText: 'link à espera até' }).waitFor();

    const own = await openPage();
    await own.goto(link);
    await own.getByRole('button', { name: 'Entrar no painel' }).click();
    await own.locator('#views').waitFor();
    const shown = await own
      .locator('#views a')
      .evaluateAll<string[], { hash: string }>(all => all.map(({ hash }) => hash.slice(1)));
    expect(shown).to.deep.equal(['atendimento', 'busca', 'testar']);
    expect(await own.locator('.who-i-am').innerText()).to.match(/Bia Souza\nAtendimento\n/);
    expect([...(opened[0]?.complaints ?? []), ...(opened[1]?.complaints ?? [])]).to.deep.equal([]);
  });

  it('sends a person out at once who is disabled, who finds what was typed after another link', async () => {
    const personId = await add('Rui Costa', 'manager');
    await add('Bia Souza', 'admin');
    const own = await enterAs(personId);
    await own.goto(`${service.baseURL}/console#busca`);
    await own.evaluate(`sessionStorage['parley-draft:teste'] = 'meu texto'`);
    const page = await openPage();
    await enterConsole(page, { baseURL: service.baseURL, token: demo.token, view: 'equipe' });
    await page.getByRole('button', { name: 'Ações de Rui Costa' }).click();
    await page.getByRole('menuitem', { name: 'Desativar' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Desativar' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Desativada' }).waitFor();
    await own.getByRole('heading', { name: 'Sua sessão terminou' }).waitFor();
    await own.getByText('no menu ao lado do seu nome, “Criar link de entrada”').waitFor();
    await page.getByRole('button', { name: 'Ações de Rui Costa' }).click();
    await page.getByRole('menuitem', { name: 'Reativar' }).click();
    await page.getByText('Desativada').waitFor({ state: 'hidden' });
    await own.goto((await ask('invitePersonHelper', { personId })).link);
    await own.getByRole('button', { name: 'Entrar no painel' }).click();
    await own.locator('#views').waitFor();
    expect(await own.evaluate(`sessionStorage['parley-draft:teste']`)).to.equal('meu texto');
  });

  it('says why the last who administrates cannot be disabled, and which e-mail is taken', async () => {
    await add('Bia Souza', 'admin');
    const page = await openPage();
    await enterConsole(page, { baseURL: service.baseURL, token: demo.token, view: 'equipe' });
    await page.getByRole('button', { name: 'Ações de Bia Souza' }).click();
    await page.getByRole('menuitem', { name: 'Desativar' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Desativar' }).click();
    await page.getByText('É a última pessoa que administra').waitFor();
    await page.getByRole('button', { name: 'Convidar pessoa' }).click();
    await page.getByLabel('Nome').fill('Outra');
    await page.getByLabel('E-mail').fill('bia@horizonte.example');
    await page.getByRole('button', { name: 'Continuar' }).click();
    await page.getByText('Este e-mail já é de outra pessoa da equipe').waitFor();
    expect(await findViolations(page)).to.deep.equal([]);
  });

  it('leads a person who manages through the first steps until they are done', async () => {
    const own = await enterAs(await add('Caio Lima', 'manager'));
    const steps = own.getByRole('region', { name: 'Primeiros passos' });
    await steps.getByRole('link', { name: 'Teste uma conversa' }).waitFor();
    expect(await steps.getByText('(feito)').count()).to.equal(2);
    expect(await findViolations(own)).to.deep.equal([]);
    // Who attends has no time for it.
    await own.evaluate("location.hash = 'atendimento/nenhuma'");
    await own.getByText('Esta conversa não existe').waitFor();
    expect(await steps.count()).to.equal(0);
    await openView(own, 'atendimento');
    await steps.getByRole('link', { name: 'Teste uma conversa' }).click();
    await own.getByLabel('Mensagem', { exact: true }).waitFor();
    // It was opened only.
    await openView(own, 'atendimento');
    await steps.getByRole('link', { name: 'Teste uma conversa' }).click();
    await steps.waitFor({ state: 'hidden' });
    await own.getByLabel('Mensagem', { exact: true }).fill('Oi');
    await own.keyboard.press('Enter');
    await openView(own, 'relatorios');
    await own.getByRole('heading', { name: 'Relatórios' }).waitFor();
    expect(await steps.isVisible()).to.equal(false);
  });

  it('says what somebody does who attends without this page', async () => {
    const assigned_person_id = await add('Davi Reis', 'agent');
    const sameName = { name: 'Davi Reis', role: 'agent', email: 'outro@horizonte.example' };
    await ask('savePersonHelper', sameName);
    const conversationId = await service.newConversation();
    await service.ask('Oi!', { conversationId });
    const attended = { conversationId, ask_human_help: true, assigned_person_id };
    await demo.call('updateConversation', { ...attended });
    const page = await openPage();
    await enterConsole(page, { baseURL: service.baseURL, token: demo.token, view: 'equipe' });
    await page.getByRole('listitem').filter({ hasText: 'davi@' }).getByText('Atende 1 conversa').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'outro@' }).getByText('Ainda não entrou').waitFor();
  });
});
