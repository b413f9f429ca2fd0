import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { openService } from '../support/service.ts';
import { makePageOpener } from './browser.ts';
import { enterConsole, giveName, openView } from './console-page.ts';
import { makeInboxSteps } from './inbox-stage.ts';

describe('attending on the page at /console when something fails', () => {
  const service = openService();
  const { demo } = service;
  const { open } = makePageOpener();
  const { begin } = makeInboxSteps(service);
  before(() => service.model.say('A secretaria atende de segunda a sexta.'));
  afterEach(() => service.db('conversations').update({ archived: true }));

  const enter = async (name?: string): Promise<Page> => {
    const page = await open();
    await enterConsole(page, service, 'atendimento');
    if (name !== undefined) await giveName(page, name);
    return page;
  };
  const openRow = (page: Page, name: string) => page.locator('.inbox-row', { hasText: name }).click();

  it('loses nothing of what is typed to an error, a change of conversation or a reload, and sends it once', async () => {
    const conversationId = await begin('Hugo');
    await begin('Iara');
    const page = await enter('Bia');
    await openRow(page, 'Hugo');
    const field = page.getByLabel('Sua resposta');
    await field.fill('Um texto longo que custou a escrever.');
    await openRow(page, 'Iara');
    await page.getByRole('heading', { name: 'Iara' }).waitFor();
    expect(await field.inputValue()).to.equal('');
    await page.reload();
    await page.getByRole('heading', { name: 'Iara' }).waitFor();
    await openRow(page, 'Hugo');
    await page.getByRole('heading', { name: 'Hugo' }).waitFor();
    expect(await field.inputValue()).to.equal('Um texto longo que custou a escrever.');
    // The service stores it, and its answer is lost.
    await page.route('**/appendMessageHelper', async route => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Enviar' }).click();
    await page.locator('.composer .trouble').waitFor();
    expect(await field.inputValue()).to.equal('Um texto longo que custou a escrever.');
    await page.unroute('**/appendMessageHelper');
    await page.reload();
    await page.getByRole('button', { name: 'Enviar' }).click();
    await page.locator('.composer textarea:placeholder-shown').waitFor();
    const stored = await service.db('messages').where({ conversation_id: conversationId, author: 'human' });
    expect(stored).to.have.length(1);
  });

  it('does not go back to what a list says that was read before the change', async () => {
    const conversationId = await begin('Gil');
    const askHelp = () => demo.call('updateConversation', { conversationId, ask_human_help: true });
    await askHelp();
    const page = await enter('Bia');
    await openRow(page, 'Gil');
    await page.getByRole('button', { name: 'Assumir' }).waitFor();
    let answer = () => {};
    const answered = new Promise<void>(resolve => (answer = resolve));
    let lookAgain = () => {};
    const looksAgain = new Promise<void>(resolve => (lookAgain = resolve));
    let isChanged = false;
    let held = 0;
    await page.route('**/conversationsListHelper', async route => {
      // It looks again when it has shown what it read.
      if (isChanged) lookAgain();
      const response = await route.fetch();
      held += 1;
      await answered;
      await route.fulfill({ response });
    });
    // It is told, and looks.
    await askHelp();
    await eventually(
      async () => held,
      seen => seen > 0,
    );
    await page.getByRole('button', { name: 'Devolver ao assistente' }).click();
    const assistant = page
      .getByRole('region', { name: 'Com o assistente', exact: true })
      .getByText('Gil', { exact: true });
    await assistant.waitFor();
    isChanged = true;
    answer();
    await looksAgain;
    expect(await assistant.count()).to.equal(1);
  });

  it('does not go back to what a list says that another has overtaken', async () => {
    const [gil, noa] = [await begin('Gil'), await begin('Noa')];
    const close = (conversationId: string, closed: boolean) =>
      demo.call('updateConversation', { conversationId, closed });
    for (const id of [gil, noa]) await close(id, true);
    // Only the list of closed ones has this one, not what has just changed.
    await service
      .db('conversations')
      .where({ id: noa })
      .update({ updated_at: new Date(0) });
    const page = await enter();
    await page.getByText('Nenhuma conversa aberta').waitFor();
    let answer = () => {};
    const answered = new Promise<void>(resolve => (answer = resolve));
    let isRead = false;
    await page.route('**/conversationsListHelper', async (route, request) => {
      if (request.postDataJSON().closed !== true) return route.continue();
      const response = await route.fetch();
      isRead = true;
      await answered;
      await route.fulfill({ response });
    });
    const choose = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const row = (name: string) => page.locator('.inbox-row', { hasText: name });
    await choose('Encerradas');
    await eventually(() => isRead, true);
    await close(gil, false);
    await choose('Abertas');
    await row('Gil').waitFor();
    await choose('Encerradas');
    answer();
    await row('Noa').waitFor();
    expect(await row('Gil').count()).to.equal(0);
  });

  it('says that there is no connection, keeps what it shows, and goes on when there is one', async () => {
    const conversationId = await begin('Joana');
    const page = await enter();
    await openRow(page, 'Joana');
    const update = (changes: object) => demo.call('updateConversation', { conversationId, ...changes });
    await page.route('**/conversationsListHelper', route => route.abort());
    // It is told, and looks.
    await update({ assigned_to: 'Bia' });
    await page.getByText('Sem conexão: o que você escreve fica guardado.').waitFor();
    expect(await page.locator('.inbox-row').count()).to.equal(1);
    await page.unroute('**/conversationsListHelper');
    await update({ ask_human_help: true, assigned_to: null });
    const waiting = page.getByRole('region', { name: 'Esperam por uma pessoa', exact: true });
    await waiting.getByText('Joana').waitFor();
    expect(await page.locator('.trouble').count()).to.equal(0);
  });

  it('says that an answer was not sent, and no longer why when there is a connection again', async () => {
    await begin('Nina');
    const page = await enter('Bia');
    await openRow(page, 'Nina');
    await page.getByText('Oi! Que horas abre?').waitFor();
    await page.getByLabel('Sua resposta').fill('Abre às 8h.');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Enviar' }).click();
    const note = page.locator('.composer .trouble');
    await note.getByText('A resposta não foi enviada').waitFor();
    expect(await note.innerText()).to.include('Sem conexão com o serviço');
    const covered = await page.evaluate(`(() => {
      const { bottom } = document.querySelector('.connection').getBoundingClientRect();
      return bottom - document.querySelector('.shell').getBoundingClientRect().top;
    })()`);
    expect(covered, 'pixels of the page under the line').to.be.at.most(0);
    await page.context().setOffline(false);
    await note.getByText('Sem conexão com o serviço').waitFor({ state: 'detached' });
    await note.getByRole('button', { name: 'Tentar de novo' }).click();
    await page.locator('.by-human', { hasText: 'Abre às 8h.' }).waitFor();
    expect(await note.count()).to.equal(0);
  });

  it('says something for a moment at the bottom of the window, of whatever size, and lies on nothing there', async () => {
    await begin('Otto');
    const page = await enter('Bia');
    await openRow(page, 'Otto');
    // However long it takes to look, the moment lasts.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole('button', { name: 'Encerrar' }).click();
    await page.locator('.toast').waitFor();
    for (const [width, height] of [
      [1_280, 800],
      [390, 800],
      [320, 640],
      [1_280, 600],
    ] as const) {
      await page.setViewportSize({ width, height });
      const [below, covered] = await eventually(
        () => page.evaluate<[number, string[]]>(MEASURE_TOAST),
        ([, found]) => found.length === 0,
      );
      expect(below, `below it at ${width} × ${height}`).to.be.within(0, 16);
      expect(covered).to.deep.equal([]);
    }
  });

  it('says once that nothing of the reports can be read', async () => {
    const page = await enter();
    await page.route('**/svcReasoning/**', route => route.fulfill({ status: 503 }));
    await openView(page, 'relatorios');
    await page.locator('.trouble').first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    expect(await page.locator('.trouble').count()).to.equal(1);
    await page.unroute('**/svcReasoning/**');
    await page.getByRole('button', { name: 'Tentar de novo' }).click();
    await page.getByRole('heading', { name: 'Gasto com modelos' }).waitFor();
    expect(await page.locator('.trouble').count()).to.equal(0);
  });

  it('reads by itself what failed for want of a connection, when there is one again', async () => {
    await begin('Karen');
    const page = await enter();
    await page.locator('.inbox-row', { hasText: 'Karen' }).waitFor();
    await page.context().setOffline(true);
    await openRow(page, 'Karen');
    await page.locator('.trouble', { hasText: 'Sem conexão com o serviço' }).waitFor();
    await page.context().setOffline(false);
    await page.getByText('Oi! Que horas abre?').waitFor();
    await page.context().setOffline(true);
    await openView(page, 'conhecimento');
    await page.locator('.trouble', { hasText: 'Sem conexão com o serviço' }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('link', { name: 'Guia do aluno' }).waitFor();
    expect(await page.locator('.trouble').count()).to.equal(0);
  });
});

/** How far the window reaches below the toast, and which of what is used beside it lies under it. */
const MEASURE_TOAST = `(() => {
  const boxOf = selector => document.querySelector(selector).getBoundingClientRect();
  const toast = boxOf('.toast');
  const isUnder = box => box.top < toast.bottom && box.bottom > toast.top && box.left < toast.right && box.right > toast.left;
  return [innerHeight - toast.bottom, ['.pane-head', '.log', '.composer', '.rail'].filter(each => isUnder(boxOf(each)))];
})()`;
