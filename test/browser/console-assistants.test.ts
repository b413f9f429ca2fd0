import { expect } from 'chai';
import { makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { eventually } from '../support/eventually.ts';
import { say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';
import { listUnreachable } from './accessibility.ts';
import { openConsole } from './console-page.ts';

/** The controls whose first line is under the bar when the keyboard comes to them. */
const LIST_COVERED = `[...document.querySelectorAll('.assistant-parts > .stack :is(a, button, summary, select, textarea, input)')]
  .filter(each => {
    each.focus();
    const { top, height } = each.getBoundingClientRect();
    const bar = document.querySelector('.save-bar').getBoundingClientRect();
    return each.checkVisibility() && top + Math.min(height, 42) > bar.top;
  })
  .map(each => each.ariaLabel ?? each.labels?.[0]?.textContent ?? each.textContent)`;

describe('the list of assistants on the page at /console', () => {
  const service = openService();
  const { demo, model } = service;
  const { page, enter, button, dialogButton, check } = openConsole(service);
  const avatar = () => service.db('avatars').where({ host_id: demo.hostId, sub_slug: 'principal' }).first();

  it('makes an assistant, and names the slug that is taken', async () => {
    await enter('assistentes');
    await button('Novo assistente').click();
    await page.getByRole('dialog').getByLabel('Nome', { exact: true }).fill('São João');
    await eventually(() => page.getByLabel('Identificador').inputValue(), 'sao-joao');
    await page.getByLabel('Identificador').fill('principal');
    await button('Criar assistente').click();
    await page.locator('.trouble', { hasText: 'Este identificador já é de outro assistente' }).waitFor();
    await page.getByLabel('Identificador').fill('sao-joao');
    await button('Criar assistente').click();
    await page.getByRole('heading', { name: 'São João' }).waitFor();
    await page.getByRole('link', { name: 'Fluxo' }).click();
    await page.getByText('Este assistente não tem fluxo').waitFor();
  });

  it('shows every assistant, also one whose slug an earlier version kept for rehearsals', async () => {
    await enter('assistentes');
    const slug = `ensaio-${(await avatar()).id}`;
    await button('Novo assistente').click();
    await page.getByRole('dialog').getByLabel('Nome', { exact: true }).fill('Coral');
    await page.getByLabel('Identificador').fill(slug);
    await button('Criar assistente').click();
    await page.getByRole('heading', { name: 'Coral' }).waitFor();
    await page.reload();
    await page.getByRole('main').getByRole('link', { name: 'Assistentes' }).click();
    await page.locator('.list').getByText(slug).waitFor();
  });

  it('runs a case now, says whether it passed and what was answered, and keeps that over a reload', async () => {
    const { hostId } = demo;
    const { id: avatarId } = await avatar();
    const cases = [
      { question: 'Onde fica o xerox?', expect: { contains: 'pátio' } },
      {
        // Every object has a property of this name, which is no verdict.
        name: 'constructor',
        question: 'E aos sábados?',
        dialogue: [{ role: 'user', content: 'Que horas abre a biblioteca?' }],
        expect: { contains: '12h' },
      },
    ];
    await demo.call('saveEvaluationCases', { hostId, avatarId, cases });
    model.script(
      say(({ messages }) =>
        JSON.stringify(messages).includes('Que horas abre') ? 'Abre às **12h**.' : 'Fica na biblioteca.',
      ),
    );
    await enter(`assistentes/${avatarId}/casos`);
    await button('Rodar todos').click();
    await page.getByText('1 de 2 casos passaram').waitFor();
    await page.reload();
    const row = page.getByRole('button', { name: /^Onde fica o xerox\?/ });
    await row.getByText('Não passou').waitFor();
    await check();
    await row.click();
    const drawer = page.getByRole('dialog', { name: 'Onde fica o xerox?' });
    await drawer.getByText('Fica na biblioteca.').waitFor();
    await drawer.getByText('falta um texto').waitFor();
    await check();
    model.say('Fica no pátio.');
    await dialogButton('Rodar agora').click();
    await drawer.getByText('Passou', { exact: true }).waitFor();
    await drawer.getByText('Fica no pátio.').waitFor();
    // A run counts nowhere.
    const asked = service.db('conversations').where({ host_id: hostId }).whereNot({ platform: 'ensaio' });
    expect(await asked).to.deep.equal([]);
  });

  it('begins a case from an answer, with what was asked, what was said before and the passages of it', async () => {
    model.say('A biblioteca abre às 7h30.');
    const { conversationId } = (await service.ask('Que horas abre a biblioteca?')).body.data;
    await service.ask('E fecha que horas?', { conversationId });
    await enter(`atendimento/${conversationId}`);
    await page.getByRole('button', { name: 'Criar caso' }).nth(1).click();
    const form = page.getByRole('dialog', { name: 'Novo caso' });
    expect(await form.getByLabel('Pergunta').inputValue()).to.equal('E fecha que horas?');
    await form.getByText('A biblioteca abre às 7h30.').waitFor();
    await form.getByLabel('Com o que foi dito antes: 2 mensagens').check();
    await form.getByLabel('A resposta precisa ter').fill('22h');
    await check();
    await form.getByLabel('Assistente').selectOption((await avatar()).id);
    await form.getByRole('button', { name: 'Guardar caso' }).click();
    await page.getByText('Caso guardado').waitFor();
    const stored = await service.db('evaluation_cases').where({ host_id: demo.hostId }).first();
    expect(stored.cases.at(-1)).to.deep.equal({
      question: 'E fecha que horas?',
      dialogue: [
        { role: 'user', content: 'Que horas abre a biblioteca?' },
        { role: 'assistant', content: 'A biblioteca abre às 7h30.' },
      ],
      expect: { contains: ['22h'], unsupported: 0 },
    });
  });

  it('deletes an assistant, after it has asked', async () => {
    const made = { host_id: demo.hostId, sub_slug: 'de-saida', avatar_name: 'De saída' };
    const { avatar_id: avatarId } = (await demo.call('createSubAvatar', made)).body.data;
    await enter(`assistentes/${avatarId}/leitura`);
    const isDeleted = async () => (await service.db('avatars').where({ id: avatarId }).first()).deleted;
    await button('Ações de De saída').click();
    await page.getByRole('menuitem', { name: 'Excluir assistente' }).click();
    await dialogButton('Cancelar').click();
    expect(await isDeleted()).to.equal(false);
    await button('Ações de De saída').click();
    await page.getByRole('menuitem', { name: 'Excluir assistente' }).click();
    await dialogButton('Excluir assistente').click();
    await page.getByText('Assistente excluído').waitFor();
    await page.locator('.list').getByText('de-saida').waitFor({ state: 'detached' });
    expect(await isDeleted()).to.equal(true);
  });

  it('makes a flow that asks and branches, and rehearses it by the buttons of its choices', async () => {
    const { avatar_id: avatarId } = await demo.make('createSubAvatar', {
      sub_slug: 'pergunta',
      avatar_name: 'Lia',
    });
    await enter(`assistentes/${avatarId}/fluxo`);
    await button('Criar um fluxo').click();
    const step = (at: number) => page.locator('.step').nth(at);
    const open = async (at: number, type: string) => {
      if (at > 0) await button('Acrescentar passo').click();
      else await step(at).locator('summary').click();
      await step(at).getByLabel('Passo', { exact: true }).selectOption(type);
    };
    await open(0, 'ask');
    await step(0).getByLabel('Pergunta', { exact: true }).fill('De que mês?');
    await step(0).getByLabel('Nome da resposta').fill('mes');
    await step(0).getByLabel('O que a resposta tem de ser').selectOption('choice');
    await step(0).getByLabel('Opções').fill('Julho\nAgosto');
    await open(1, 'when');
    await step(1).getByLabel('Nome da resposta').fill('mes');
    await step(1).getByLabel('Se a resposta for').fill('agosto');
    await open(2, 'message');
    await step(2).getByLabel('Mensagem').fill('Não vale para agosto.');
    await open(3, 'message');
    await step(3).getByLabel('Mensagem').fill('Até logo!');
    await step(1).getByLabel('Ir para o passo').selectOption('3');
    model.script(say('Pois não.'));
    await page.getByLabel('Pergunta de ensaio').fill('Oi');
    await button('Ensaiar').click();
    await button('Agosto').click();
    const reply = page.getByLabel('Com as suas mudanças').last();
    await reply.getByText('Até logo!').waitFor();
    expect(await reply.getByText('Não vale').count()).to.equal(0);
    await button('Salvar').click();
    await page.getByText('Versões anteriores').waitFor();
    const [flow] = (await demo.call('listFlows', { avatarIds: [avatarId] })).body.data;
    const { choices, ...asked } = flow.chainJson[0];
    expect(asked).to.include({ type: 'ask', name: 'mes', kind: 'choice' });
    expect(choices).to.deep.equal(['Julho', 'Agosto'].map(title => ({ id: title, title })));
    expect(flow.chainJson[1]).to.include({ type: 'when', goTo: 3 });
  });

  it('says what is wrong in a flow by the label of its field, leaves the steps in reach, and forgets what is discarded', async () => {
    const choices = ['Julho', 'Agosto'].map(title => ({ id: title, title }));
    const { avatarId } = await makeAvatarWithFlow(demo, [
      { type: 'message', content: 'De que mês?', choices },
      { type: 'when', name: 'mes', values: ['Agosto'], goTo: 0 },
      { type: 'handoff', content: 'Quer', team: 'X', agents: [{ agentName: 'x', schemaName: 'x' }] },
    ]);
    await enter(`assistentes/${avatarId}/fluxo`);
    await page.getByText('mes · Agosto').waitFor();
    await page.setViewportSize({ width: 844, height: 390 });
    await button('Ações do passo 3').evaluate<void, { scrollIntoView(to: object): void }>(each =>
      each.scrollIntoView({ block: 'end' }),
    );
    await page.evaluate('scrollBy(0, 60)');
    await button('Ações do passo 3').click();
    const { y = 0, height: lastHeight = 0 } = (await page.getByRole('menuitem').last().boundingBox()) ?? {};
    expect(y + lastHeight).to.be.below(390);
    await page.keyboard.press('Escape');
    await page.getByText('1. Enviar').click();
    const typed = page.getByLabel('Opções');
    const wrong = page.locator('.save-bar').getByRole('alert').getByRole('listitem');
    await typed.fill(Array.from({ length: 11 }, (_, at) => `Mês ${at}`).join('\n'));
    await button('Salvar').click();
    await wrong.getByText('Passo 1, Opções: só cabem 10').waitFor();
    await typed.fill('Julho\nJulho');
    await button('Salvar').click();
    await wrong.getByText('Passo 1, Opções: está duas vezes').waitFor();
    expect(await wrong.allInnerTexts()).to.deep.equal([
      'Passo 1, Opções: está duas vezes',
      'Passo 2, Ir para o passo: precisa ser um passo que vem depois',
      'Passo 3, Agentes que ele roda: não existe nesta instituição',
      'Passo 3, A que equipe: não existe nesta instituição',
    ]);
    for (const [width, height] of [
      [320, 640],
      [844, 390],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect(await listUnreachable(page), `${width}`).to.deep.equal([]);
      expect(await page.evaluate(LIST_COVERED), `${width}`).to.deep.equal([]);
    }
    await check();
    await button('Descartar').click();
    expect(await typed.inputValue()).to.equal('Julho\nAgosto');
  });
});
