import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openService } from '../support/service.ts';
import { findViolations } from './accessibility.ts';
import { makePageOpener } from './browser.ts';
import { enterConsole, openView } from './console-page.ts';
import { makeInboxSteps } from './inbox-stage.ts';

describe('the team on the page at /console', () => {
  const service = openService();
  const { demo } = service;
  const { opened, open: openPage } = makePageOpener();
  const { done } = makeInboxSteps(service);
  afterEach(() => service.db('people').delete());

  const add = async (name: string, role: string): Promise<string> =>
    (await done('savePerson', { name, role, email: `${name.split(' ')[0]}@horizonte.example` })).personId;
  const openTeam = async (): Promise<Page> => {
    const page = await openPage();
    await enterConsole(page, service, 'equipe');
    return page;
  };
  const enterBy = async (link: string, page: Page): Promise<Page> => {
    await page.goto(link);
    await page.getByRole('button', { name: 'Entrar no painel' }).click();
    await page.locator('#views').waitFor();
    return page;
  };
  /** The service hears what the page asks about a link only when it is told to. */
  const holdFace = async (page: Page) => {
    let tell = () => {};
    const told = new Promise<void>(resolve => (tell = resolve));
    await page.route('**/console/sign-in-link', async route => {
      await told;
      await route.continue();
    });
    return () => tell();
  };
  const linkFor = async (personId: string) => (await done('invitePerson', { personId })).link;

  it('lets who administrates invite a person with the keyboard alone, who enters by the link and sees what the role may', async () => {
    const page = await openTeam();
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

    const own = await enterBy(link, await openPage());
    const shown = await own
      .locator('#views a')
      .evaluateAll<string[], { hash: string }>(all => all.map(({ hash }) => hash.slice(1)));
    expect(shown).to.deep.equal(['atendimento', 'busca', 'testar']);
    expect(await own.locator('.who-i-am').innerText()).to.match(/Bia Souza\nAtendimento\n/);
    expect([...(opened[0]?.complaints ?? []), ...(opened[1]?.complaints ?? [])]).to.deep.equal([]);
  });

  it('leaves the button to enter where it is when the page learns whom the link is for', async () => {
    const link = await linkFor(await add('Bia Souza', 'agent'));
    const page = await openPage();
    const tell = await holdFace(page);
    await page.goto(link);
    const enter = page.getByRole('button', { name: 'Entrar no painel' });
    const place = await enter.boundingBox();
    tell();
    await page.getByRole('heading', { name: 'Olá, Bia Souza' }).waitFor();
    expect(await enter.boundingBox()).to.deep.equal(place);
  });

  it('keeps a person in who has entered before the page learns that the link is used up', async () => {
    const page = await openPage();
    const tell = await holdFace(page);
    await enterBy(await linkFor(await add('Bia Souza', 'agent')), page);
    const told = page.waitForResponse('**/console/sign-in-link');
    tell();
    expect((await told).status()).to.equal(401);
    await (await told).finished();
    await page.evaluate('new Promise(done => setTimeout(done))');
    expect(await page.locator('#views').count()).to.equal(1);
  });

  it('sends a person out at once who is disabled, who finds what was typed after another link', async () => {
    const personId = await add('Rui Costa', 'manager');
    await add('Bia Souza', 'admin');
    const own = await enterBy(await linkFor(personId), await openPage());
    await own.goto(`${service.baseURL}/console#busca`);
    await own.evaluate(`sessionStorage['parley-draft:teste'] = 'meu texto'`);
    const page = await openTeam();
    await page.getByRole('button', { name: 'Ações de Rui Costa' }).click();
    await page.getByRole('menuitem', { name: 'Desativar' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Desativar' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Desativada' }).waitFor();
    await own.getByRole('heading', { name: 'Sua sessão terminou' }).waitFor();
    await own.getByText('no menu ao lado do seu nome, “Criar link de entrada”').waitFor();
    await page.getByRole('button', { name: 'Ações de Rui Costa' }).click();
    await page.getByRole('menuitem', { name: 'Reativar' }).click();
    await page.getByText('Desativada').waitFor({ state: 'hidden' });
    await enterBy(await linkFor(personId), own);
    expect(await own.evaluate(`sessionStorage['parley-draft:teste']`)).to.equal('meu texto');
  });

  it('says why the last who administrates cannot be disabled, and which e-mail is taken', async () => {
    await add('Bia Souza', 'admin');
    const page = await openTeam();
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

  it('leads through the first steps from the next page on where the first could not read them', async () => {
    const own = await openPage();
    await own.route('**/datasetsListHelper', route => route.fulfill({ status: 503 }), { times: 1 });
    const refused = own.waitForResponse('**/datasetsListHelper');
    await enterBy(await linkFor(await add('Lia Reis', 'manager')), own);
    expect((await refused).status()).to.equal(503);
    await openView(own, 'relatorios');
    await own.getByRole('region', { name: 'Primeiros passos' }).waitFor();
  });

  it('leads a person who manages through the first steps until they are done', async () => {
    const own = await enterBy(await linkFor(await add('Caio Lima', 'manager')), await openPage());
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
    await done('savePerson', { name: 'Davi Reis', role: 'agent', email: 'outro@horizonte.example' });
    const conversationId = await service.newConversation();
    await service.ask('Oi!', { conversationId });
    await demo.call('updateConversation', { conversationId, ask_human_help: true, assigned_person_id });
    const page = await openTeam();
    await page.getByRole('listitem').filter({ hasText: 'davi@' }).getByText('Atende 1 conversa').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'outro@' }).getByText('Ainda não entrou').waitFor();
  });
});
