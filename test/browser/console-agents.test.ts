import { expect } from 'chai';
import { makeAgent, makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';
import { openConsole } from './console-page.ts';

describe('the agents on the page at /console', () => {
  const service = openService();
  const { demo, model } = service;
  const { watched, page, enter, button, dialog, dialogButton, choose, check } = openConsole(service);
  afterEach(() => expect(watched.complaints.splice(0)).to.deep.equal([]));
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  const stored = async (agentName: string) => {
    const { agents } = (await demo.call('listAgents')).body.data;
    return agents.find((each: { agentName: string }) => each.agentName === agentName);
  };

  it('show what one asks for, the flows that run it, and how its last runs ended', async () => {
    const lead = await makeAgent(demo, 'anotar_curso');
    const steps = [{ type: 'notification-trigger', content: 'Quer', agents: [lead] }];
    const { subSlug } = await makeAvatarWithFlow(demo, steps);
    for (const curso of ['', 'Direito']) {
      model.script(rounds(call([['anotar_curso', { curso }]]), say('Anotado.')));
      await service.ask('Quero!', { subSlug });
    }
    await enter('integracoes/agentes');
    await row('anotar_curso').getByText('1 fluxo', { exact: true }).waitFor();
    await check();
    await row('anotar_curso').getByRole('button', { name: 'Ver' }).click();
    const form = dialog().getByRole('group', { name: 'anotar_curso' });
    expect(await form.getByLabel('curso', { exact: true }).isDisabled()).to.equal(true);
    await form.getByLabel('semestre (se houver)').waitFor();
    const runs = dialog().getByRole('region', { name: 'Últimas vezes' }).getByRole('listitem');
    await runs.first().getByText('Rodou').waitFor();
    await runs.nth(1).getByText('Falhou').waitFor();
    await check();
    await dialog().getByRole('link', { name: 'Fluxo' }).click();
    await page.getByText('Agentes', { exact: true }).and(page.getByRole('link')).click();
    await row('anotar_curso').waitFor();
  });

  it('are made, changed with no field of the schema lost, and deleted', async () => {
    await makeAgent(demo, 'agendar', { properties: { dia: { type: 'string', enum: ['2ª', '3ª'] } } });
    await enter('integracoes/agentes');
    await button('Novo agente').click();
    await dialog().getByLabel('Nome para o modelo').fill('agendar');
    await dialogButton('Criar agente').click();
    await dialog()
      .getByText(/^Nome para o modelo: /)
      .waitFor();
    await dialog().getByLabel('Nome para o modelo').fill('visita');
    await dialog().getByLabel('Nome para as pessoas').fill('Marcar visita');
    const schema = dialog().getByLabel('Dados que pede, em JSON Schema');
    const begun = await schema.inputValue();
    await schema.fill('{');
    await check();
    await dialogButton('Criar agente').click();
    await dialog()
      .getByText(/^Dados que pede, em JSON Schema: /)
      .waitFor();
    await schema.fill(begun);
    await dialogButton('Criar agente').click();
    await row('Marcar visita').waitFor();
    await choose('agendar', 'Editar');
    await dialog().getByLabel('O que faz').fill('Marca um dia.');
    await dialogButton('Salvar').click();
    await row('Marca um dia.').waitFor();
    const { id } = await stored('agendar');
    const read = (await demo.call('readAgent', { id })).body.data;
    expect(read.schema.properties.dia.enum).to.deep.equal(['2ª', '3ª']);
    await choose('Marcar visita', 'Excluir agente');
    await dialogButton('Excluir agente').click();
    await row('Marcar visita').waitFor({ state: 'detached' });
    expect(await stored('visita')).to.equal(undefined);
  });
});
