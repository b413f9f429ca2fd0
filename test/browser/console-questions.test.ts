import { expect } from 'chai';
import { checkContradictions } from '../../workers/knowledge/run-contradictions.ts';
import { eventually } from '../support/eventually.ts';
import { say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';
import { expectUsable } from './accessibility.ts';
import { openPage } from './browser.ts';
import { enterConsole, leaveConsole } from './console-page.ts';

const QUESTION = 'Quando é a colação de grau da Enfermagem?';

describe('questions on the page at /console', () => {
  const service = openOwnService();
  const watched = openPage();
  const { page } = watched;
  before(async () => {
    service.model.script(say('Não encontrei essa informação.'));
    await enterConsole(page, service, 'atendimento');
  });
  afterEach(async () => {
    expect(watched.complaints).to.deep.equal([]);
    await leaveConsole(page, service.baseURL);
  });

  const ask = async () => {
    const conversationId = await service.newConversation();
    expect((await service.ask(QUESTION, { conversationId })).status).to.equal(200);
    return conversationId;
  };

  it('have thumbs beside each answer, and a wrong one takes the right answer', async () => {
    const conversationId = await ask();
    await page.goto(`${service.baseURL}/console#atendimento/${conversationId}`);
    await page.getByRole('button', { name: 'Resposta errada' }).click();
    await page.getByLabel('A resposta certa, se quiser').fill('Em agosto.');
    await expectUsable(page);
    await page.getByRole('button', { name: 'Guardar' }).click();
    await page.getByText('A resposta certa está nas perguntas').waitFor();
    const [row] = await service.db('feedback').where({ conversation_id: conversationId });
    expect(row).to.include({ score: -1, text: 'Em agosto.' });
  });

  it('are approved with one click of the page of questions', async () => {
    await ask();
    await ask();
    await page.goto(`${service.baseURL}/console#perguntas`);
    await page.getByRole('heading', { name: 'O que mais perguntam' }).waitFor();
    await expectUsable(page);
    await page.getByRole('button', { name: 'Aprovar' }).first().click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Perguntas').inputValue()).to.equal(QUESTION);
    await dialog.getByLabel('Resposta').fill('Em 12 de agosto.');
    await expectUsable(page);
    await dialog.getByRole('button', { name: 'Aprovar' }).click();
    await page.getByRole('list', { name: 'Respostas aprovadas' }).getByText(QUESTION).waitFor();
    expect((await service.ask(QUESTION)).body.data.assistantResponse.string).to.equal('Em 12 de agosto.');
  });

  it('have an answer that a passage contradicts, which a person gives again, and the number of contradictions', async () => {
    const { demo, db } = service;
    const about = { avatarIds: [demo.avatarId], questions: ['Quanto custa o baile de máscaras?'] };
    await demo.make('saveApprovedAnswer', { ...about, answer: 'R$ 100,00.' });
    for (const price of ['180', '220']) {
      const content = `O ingresso do baile de máscaras custa R$ ${price},00.`;
      await demo.call('createChunk', { dataset_id: demo.datasetId, content });
    }
    // A worker that is comparing them already holds them until it has.
    const listDue = async () => {
      await checkContradictions({ owner: db, db }, new AbortController().signal, 0);
      return db('contradiction_checks').where({ host_id: demo.hostId });
    };
    await eventually(listDue, []);
    await page.goto(`${service.baseURL}/console#perguntas`);
    const row = page.getByRole('listitem').filter({ hasText: about.questions[0] as string });
    await row.getByText('Contradita').waitFor();
    await expectUsable(page);
    for (const _ of ['180', '220']) {
      await row.getByRole('button', { name: /^Ações/ }).click();
      await page.getByRole('menuitem', { name: 'Não contradiz' }).first().click();
      await page.getByText('Vale de novo').first().waitFor();
      await page.reload();
    }
    await row.getByText('Ativa').waitFor();
    await page.getByRole('link', { name: '1 contradição' }).click();
    await page.getByRole('article').getByText('Outro preço').waitFor();
  });
});
