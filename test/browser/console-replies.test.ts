import { expect } from 'chai';
import { openOwnService } from '../support/service.ts';
import { openPage } from './browser.ts';
import { enterConsole, leaveConsole } from './console-page.ts';

describe('prepared replies on the page at /console', () => {
  const service = openOwnService();
  const { demo } = service;
  const watched = openPage();
  const { page } = watched;
  before(async () => {
    service.model.say('Já verifico.');
    await enterConsole(page, service, 'atendimento');
  });
  afterEach(async () => {
    expect(watched.complaints).to.deep.equal([]);
    await leaveConsole(page, service.baseURL);
    await service.db('saved_replies').delete();
    await service.db('conversations').update({ archived: true });
  });

  const prepare = async (name: string, text: string) => {
    await service.db('saved_replies').insert({ host_id: demo.hostId, name, text });
  };
  const open = async (name: string, answer = 'Sua resposta') => {
    const conversationId = await service.newConversation();
    const userData = name ? { name } : {};
    expect((await service.ask('Oi!', { conversationId, userData })).status).to.equal(200);
    await page.goto(`${service.baseURL}/console#atendimento/${conversationId}`);
    await page.getByLabel(answer).waitFor();
    return page.getByLabel(answer);
  };
  const list = () => page.getByRole('list', { name: 'Respostas prontas' });
  const stored = () => service.db('saved_replies').orderBy('name').select('name', 'text', 'owner_id');

  it('are found by “/” and what is typed, taken by the keyboard, and say the first name of the person', async () => {
    await prepare('Segunda via', 'Olá, {nome}! Segue o boleto.');
    await prepare('Horário', 'Abrimos às oito.');
    const field = await open('Ana Lima');
    await field.fill('/');
    await list().getByText('Horário').waitFor();
    await field.fill('/BOLÉTO');
    await list().getByText('Horário').waitFor({ state: 'detached' });
    await field.press('Enter');
    expect(await field.inputValue()).to.equal('Olá, Ana! Segue o boleto.');
    await field.fill('/');
    await list().getByText('Segunda via').waitFor();
    await field.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).to.equal('Olá, Ana! Segue o boleto.');
    await field.fill('/nada disto');
    await page.getByText('Nenhuma resposta pronta com estas palavras.').waitFor();
    // Nobody is sent what was to find a reply.
    await field.press('Enter');
    expect(await field.inputValue()).to.equal('/nada disto');
    await field.press('Escape');
    expect(await field.inputValue()).to.equal('');
  });

  it('address nobody whose name is not known', async () => {
    await prepare('a', 'Olá, {nome}! Segue.');
    await prepare('b', '{nome}, tudo bem?');
    const field = await open('');
    for (const [typed, written] of [
      ['/a', 'Olá! Segue.'],
      ['/b', 'Tudo bem?'],
    ] as const) {
      await field.fill(typed);
      await list().getByText('Segue').or(list().getByText('tudo bem')).first().waitFor();
      await field.press('Enter');
      expect(await field.inputValue()).to.equal(written);
    }
  });

  it('are kept from what is typed, changed, kept for oneself and deleted', async () => {
    const field = await open('Ana');
    await field.fill('Segue o boleto.');
    await page.getByRole('button', { name: 'Guardar como pronta' }).click();
    const form = page.getByRole('dialog', { name: 'Nova resposta pronta' });
    expect(await form.getByLabel('Nome').inputValue()).to.equal('Segue o boleto.');
    await form.getByLabel('Nome').fill('Boleto');
    await form.getByRole('button', { name: 'Salvar' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await stored()).to.deep.equal([{ name: 'Boleto', text: 'Segue o boleto.', owner_id: null }]);
    await field.fill('/');
    await page.getByRole('button', { name: 'Editar: Boleto' }).click();
    const editor = page.getByRole('dialog', { name: 'Editar resposta pronta' });
    await editor.getByLabel('Só minha').check();
    await editor.getByRole('button', { name: 'Salvar' }).click();
    await list().getByText('Só minha').waitFor();
    expect((await stored())[0]?.owner_id).to.be.a('string');
    await page.getByRole('button', { name: 'Editar: Boleto' }).click();
    await editor.getByRole('button', { name: 'Excluir' }).click();
    await page
      .getByRole('dialog', { name: 'Excluir Boleto?' })
      .getByRole('button', { name: 'Excluir' })
      .click();
    await page.getByText('A equipe ainda não tem respostas prontas.').waitFor();
    expect(await stored()).to.deep.equal([]);
  });

  it('that this browser kept are brought to the team by one click, and offered no more', async () => {
    const key = `parley-replies:${demo.hostId}`;
    await page.evaluate(
      `localStorage[${JSON.stringify(key)}] = ${JSON.stringify(JSON.stringify(['Um.', 'Dois.']))}`,
    );
    const field = await open('Ana');
    await field.fill('/');
    const bring = page.getByRole('button', { name: 'Trazer 2 respostas deste navegador para a equipe' });
    await bring.click();
    await list().getByText('Dois.').first().waitFor();
    await bring.waitFor({ state: 'detached' });
    expect((await stored()).map(({ text }) => text)).to.deep.equal(['Dois.', 'Um.']);
    expect(await page.evaluate(`localStorage.getItem(${JSON.stringify(key)})`)).to.equal(null);
  });
});
