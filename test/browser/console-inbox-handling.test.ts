import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { groupOf, makeInboxStage, rowOf } from './inbox-stage.ts';

describe('handing over and closing on the page at /console', () => {
  const stage = makeInboxStage();

  it('passes a conversation with a note to a colleague, who is chosen among those who are there', async () => {
    const { personId } = await stage.done('savePerson', {
      name: 'Ana Ausente',
      email: 'ana@horizonte.example',
      role: 'agent',
    });
    const conversationId = await stage.begin('Noa');
    await stage.update(conversationId, { ask_human_help: true, assigned_to: 'Bia' });
    const [bia, caio] = [await stage.enter('Bia'), await stage.enter('Caio Reis')];
    await rowOf(bia, 'Noa').click();
    await bia.getByRole('button', { name: 'Passar', exact: true }).click();
    const dialog = bia.getByRole('dialog', { name: 'Passar a conversa' });
    const choice = dialog.getByLabel('A quem');
    expect(await choice.inputValue()).to.equal('');
    const groups = await choice
      .locator('optgroup')
      .evaluateAll(all => all.map(each => `${each.getAttribute('label')}: ${each.textContent}`));
    expect(groups).to.deep.equal(['No painel agora: Caio Reis', 'Fora do painel: Ana Ausente']);
    // Nobody is chosen: nothing is passed.
    await dialog.getByRole('button', { name: 'Passar' }).click();
    expect(await stage.stateOf(conversationId)).to.include({ assigned_to: 'Bia' });
    await dialog.getByLabel('Nota para a equipe').fill('Já mandou os documentos.');
    await choice.selectOption('Caio Reis');
    // A conversation that was not passed is passed by trying again, and its note is stored once.
    await bia.route('**/updateConversationHelper', route => route.abort(), { times: 1 });
    await dialog.getByRole('button', { name: 'Passar' }).click();
    await bia.getByRole('button', { name: 'Tentar de novo' }).click();
    await choice.selectOption('Caio Reis');
    await dialog.getByRole('button', { name: 'Passar' }).click();
    await bia.getByText('Caio Reis atende esta conversa.').waitFor();
    await groupOf(caio, 'Com você').getByText('Noa', { exact: true }).click();
    await caio.locator('.by-note', { hasText: 'Já mandou os documentos.' }).waitFor();
    expect(await caio.locator('.by-note').count()).to.equal(1);
    expect(await stage.stateOf(conversationId)).to.include({
      assigned_to: 'Caio Reis',
      ask_human_help: true,
    });
    await stage.service.db('people').where({ id: personId }).delete();
  });

  it('takes back that a conversation was closed, as it was', async () => {
    const conversationId = await stage.begin('Davi');
    const page = await stage.enter('Bia');
    const assigned_person_id = await stage.personOf('Bia');
    await stage.update(conversationId, { ask_human_help: true, assigned_person_id });
    await rowOf(page, 'Davi').click();
    // What is undone is what the page knew.
    await page.getByText('Você atende esta conversa.').waitFor();
    await page.getByRole('button', { name: 'Encerrar', exact: true }).click();
    await page.getByRole('button', { name: 'Reabrir' }).waitFor();
    expect(await stage.stateOf(conversationId)).to.include({ closed: true, assigned_to: null });
    const undo = page.getByRole('button', { name: 'Desfazer' });
    await undo.click();
    await page.getByText('Você atende esta conversa.').waitFor();
    expect(await undo.count()).to.equal(0);
    expect(await stage.stateOf(conversationId)).to.include({
      closed: false,
      assigned_to: 'Bia',
      ask_human_help: true,
    });
    expect((await stage.stateOf(conversationId)).assigned_person_ids).to.deep.equal([assigned_person_id]);
  });

  it('tells two colleagues of one name apart: who it is passed to, whose it is, and what each attends', async () => {
    const conversationId = await stage.begin('Paula');
    await stage.update(conversationId, { ask_human_help: true });
    const [caio, first] = [await stage.enter('Caio Reis'), await stage.enter('Bia Souza')];
    const second = await stage.enter('Bia Souza', undefined, 'bia.s@horizonte.example');
    await rowOf(caio, 'Paula').click();
    await caio.getByRole('button', { name: 'Passar', exact: true }).click();
    const dialog = caio.getByRole('dialog', { name: 'Passar a conversa' });
    await dialog.getByLabel('A quem').selectOption({ label: 'Bia Souza (bia.s@horizonte.example)' });
    await dialog.getByRole('button', { name: 'Passar' }).click();
    await caio.getByText('Bia Souza atende esta conversa.').waitFor();
    await groupOf(second, 'Com você').getByText('Paula', { exact: true }).waitFor();
    await groupOf(first, 'Com a equipe').getByText('Paula', { exact: true }).click();
    // Whoever joins stands beside the other, and a filter knows which is which.
    await first.getByRole('button', { name: 'Assumir também' }).click();
    await first.getByText('Você e Bia Souza atendem esta conversa.').waitFor();
    await stage.update(await stage.begin('Rui'), {
      ask_human_help: true,
      assigned_person_ids: (await stage.stateOf(conversationId)).assigned_person_ids.slice(1),
    });
    await groupOf(second, 'Com a equipe').getByText('Rui', { exact: true }).waitFor();
    await second.getByLabel('Quem atende').selectOption({ label: 'Bia Souza (bia.s@horizonte.example)' });
    await rowOf(second, 'Rui').waitFor({ state: 'detached' });
    expect(await rowOf(second, 'Paula').count()).to.equal(1);
  });

  it('says that writing in a closed conversation reopens it, and does so; a note does not', async () => {
    const conversationId = await stage.begin('Elisa');
    await stage.update(conversationId, { closed: true });
    const page = await stage.enter('Bia');
    await page.getByRole('button', { name: 'Encerradas' }).click();
    await rowOf(page, 'Elisa').click();
    const reply = page.getByPlaceholder('Escrever à pessoa reabre a conversa, com você');
    await reply.waitFor();
    await page.getByRole('button', { name: 'Nota interna' }).click();
    await page.getByLabel('Sua nota interna').fill('Resolvido por telefone.');
    await page.getByRole('button', { name: 'Anotar' }).click();
    await page.locator('.by-note').waitFor();
    // The page may be told of a note before its own request is answered.
    await page.locator('.composer textarea:placeholder-shown').waitFor();
    expect(await stage.stateOf(conversationId)).to.include({ closed: true });
    await page.getByRole('button', { name: 'Nota interna' }).click();
    await reply.fill('Mais uma coisa…');
    await reply.press('Control+Enter');
    await page.locator('.by-human', { hasText: 'Mais uma coisa' }).waitFor();
    await page.getByText('Você atende esta conversa.').waitFor();
    await eventually(() => stage.stateOf(conversationId), { closed: false });
    expect(await stage.stateOf(conversationId)).to.include({ assigned_to: 'Bia', ask_human_help: true });
  });
});
