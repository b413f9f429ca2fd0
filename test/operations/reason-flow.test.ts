import { expect } from 'chai';
import { updateFlow } from '../../db/assistants/flows.ts';
import { makeAgent, makeAvatarWithFlow, type Step } from '../support/avatar-with-flow.ts';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import {
  call,
  fail,
  type ModelRequest,
  type ModelScript,
  rounds,
  say,
  toolResultsIn,
} from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { openService } from '../support/service.ts';

describe('a flow', () => {
  const service = openService();
  const { demo, model } = service;
  const conversation = openConversation(service, withReceipt);

  const steer = async (steps: readonly Step[], options: { model?: string } = {}) => {
    const { subSlug, flow } = await makeAvatarWithFlow(demo, steps, options);
    const ask = (script: ModelScript, more: Fields = {}) => {
      model.script(script);
      return conversation.ask('Oi?', { subSlug, ...more });
    };
    return { flow, ask };
  };
  const systemIn = (request: ModelRequest | undefined) =>
    (request?.messages ?? [])
      .filter(({ role }) => role === 'system')
      .map(({ content }) => content)
      .join('\n\n');
  const offeredIn = (request: ModelRequest | undefined) =>
    new Map(request?.tools?.map(({ function: offered }) => [offered.name, offered]));

  it('still has to say once what a person’s coming kept from being said', async () => {
    const { ask } = await steer([{ type: 'message', content: 'Bem-vinda!' }]);
    const conversationId = conversation.id;
    const interrupted: ModelScript = async (request, response) => {
      await demo.call('updateConversation', { conversationId, ask_human_help: true });
      await demo.call('appendMessage', { conversationId, author: 'human', content: 'Aqui é a Bia.' });
      await say('Certo.')(request, response);
    };
    expect((await ask(interrupted)).text).to.equal('');
    await demo.call('updateConversation', { conversationId, ask_human_help: false });
    expect((await ask(say('Certo.'))).text).to.equal('Bem-vinda!\n\nCerto.');
    expect((await ask(say('Certo.'))).text).to.equal('Certo.');
  });

  it('has its message said once, word for word, before the answer', async () => {
    const { ask } = await steer([{ type: 'message', content: 'Bem-vinda à **Horizonte**!' }]);
    const first = await ask(say('Em que posso ajudar?'));
    const said = 'Bem-vinda à **Horizonte**!\n\nEm que posso ajudar?';
    expect(first.text).to.equal(said);
    const content = said.replaceAll('**', '*');
    expect(first.data.assistantResponse.wppParsed).to.deep.equal([{ type: 'text', content }]);
    expect(systemIn(first.requests[0])).to.include('Bem-vinda');
    expect(first.receipt.flow.steps).to.deep.equal([{ step: 0, type: 'message', outcome: 'done' }]);
    const second = await ask(say('Sim?'));
    expect(second.text).to.equal('Sim?');
    expect(second.receipt.flow.steps).to.deep.equal([
      { step: 0, type: 'message', outcome: 'skipped', reason: 'done before' },
    ]);
    expect(await conversation.said()).to.include(`assistant: ${said}`);
    await conversation.restart();
    expect((await ask(say('Sim?'))).text).to.match(/^Bem-vinda/);
  });

  it('has not done what it does once when the turn found no answer, nor twice what a retry asks for', async () => {
    const { ask } = await steer([{ type: 'message', content: 'Olá!' }]);
    expect((await ask(fail(401))).status).to.equal(503);
    expect((await ask(say('Um.'))).text).to.equal('Olá!\n\nUm.');
    expect(await service.db('flow_steps_done').where('conversation_id', conversation.id)).to.have.length(1);
  });

  it('remembers what was done when its steps were moved, and does anew what says something else', async () => {
    const { flow, ask } = await steer([{ type: 'message', content: 'Olá!' }]);
    await ask(say('Um.'));
    const save = (steps: Step[]) => {
      const chainJson = steps.map(step => ({ content: '', description: '', ...step }));
      return demo.inHost(scope => updateFlow(scope, flow.id, { ...flow, chainJson, savedBy: null }));
    };
    await save([
      { type: 'notification-conversation', content: 'Seja breve.' },
      { type: 'message', content: 'Olá!' },
    ]);
    const moved = await ask(say('Dois.'));
    expect(moved.text).to.equal('Dois.');
    expect(moved.receipt.flow).to.include({ id: flow.id, version: 2 });
    await save([{ type: 'message', content: 'Olá de novo!' }]);
    expect((await ask(say('Três.'))).text).to.equal('Olá de novo!\n\nTrês.');
  });

  it('hands over, or ends, when the model finds its condition met', async () => {
    const { ask } = await steer([
      { type: 'handoff', content: 'A pessoa reclama do atendimento' },
      { type: 'end', content: 'A pessoa se despede' },
    ]);
    const { requests, data } = await ask(say('Certo.'));
    const offered = offeredIn(requests[0]);
    expect(offered.get('handoff')?.description).to.include('A pessoa reclama do atendimento');
    expect(offered.get('end')?.description).to.include('A pessoa se despede');
    expect(data.askHumanHelp).to.equal(false);
    await ask(rounds(call([['end']]), say('Até logo!')));
    expect(await conversation.row()).to.include({ closed: true, ask_human_help: false });
    const handed = await ask(rounds(call([['handoff']]), say('Um momento.')));
    expect(handed.data.askHumanHelp).to.equal(true);
    expect(handed.receipt.handover).to.deep.equal({ by: 'flow', reason: 'flow_step', step: 0 });
    expect(await conversation.row()).to.include({ closed: false, ask_human_help: true });
  });

  it('wins with its model over the avatar’s own', async () => {
    const { ask } = await steer([{ type: 'notification-conversation', content: 'x' }], { model: 'do-fluxo' });
    expect((await ask(say('Certo.'))).requests[0]?.model).to.equal('do-fluxo');
  });

  it('leaves out a step of a type that nobody knows, with a line in the log', async () => {
    const { flow, ask } = await steer([
      { type: 'webhook', content: 'https://x.example' },
      { type: 'message', content: 'Olá!' },
    ]);
    const turn = await ask(say('Certo.'));
    expect(turn.text).to.equal('Olá!\n\nCerto.');
    expect(turn.receipt.flow.steps).to.deep.equal([
      { step: 0, type: 'webhook', outcome: 'skipped', reason: 'unknown type' },
      { step: 1, type: 'message', outcome: 'done' },
    ]);
    const line = service.logged.find(each => each.includes(flow.id) && each.includes('webhook'));
    expect(JSON.parse(line ?? '{}')).to.include({ step: 0, type: 'webhook', version: 1 });
  });

  it('lets its conditions be judged by what is known of the conversation', async () => {
    const { ask } = await steer([{ type: 'handoff', content: 'O campus é o Norte' }]);
    const { requests } = await ask(say('Certo.'), { globalData: { campus: 'Norte' } });
    expect(systemIn(requests[0])).to.include('{"campus":"Norte"}');
  });

  describe('with agents', () => {
    const answer = { curso: 'Direito', semestre: 2 };

    it('offers those that its steps name, under their conditions and with their schemas, and no others', async () => {
      const [lead, other] = [await makeAgent(demo, 'lead-a'), await makeAgent(demo, 'lead-b')];
      const gone = { agentName: 'lead-x', schemaName: 'x' };
      const { ask } = await steer([
        { type: 'notification-trigger', content: 'Quer se matricular', agents: [lead, gone] },
        { type: 'webhook', agents: [other] },
      ]);
      const { requests, receipt } = await ask(say('Certo.'));
      const offered = offeredIn(requests[0]);
      expect([...offered.keys()])
        .to.include('lead-a')
        .and.not.include.members(['lead-b', 'lead-x']);
      expect(offered.get('lead-a')?.description).to.match(/^Anota o interesse\.\n.*Quer se matricular$/);
      expect(offered.get('lead-a')?.parameters['required']).to.deep.equal(['curso']);
      expect(receipt.flow.missingAgents).to.deep.equal(['lead-x']);
    });

    it('stores what they were given, once that meets their schemas', async () => {
      const lead = await makeAgent(demo, 'lead-c');
      const { ask } = await steer([
        { type: 'notification-conversation', content: 'Seja breve.' },
        { type: 'notification-trigger', content: 'Quer se matricular', agents: [lead] },
      ]);
      const { data, receipt } = await ask(rounds(call([['lead-c', answer]], '', 30), say('Anotei.')));
      expect(data.jsonArray).to.deep.equal([{ ...lead, data: answer }]);
      const [run, ...others] = data.agentsLog;
      expect(others).to.deep.equal([]);
      expect(run).to.include({ agentName: 'lead-c', step: 1, status: 'done', tokens: 30 });
      expect(new Date(run.startedAt).toISOString()).to.equal(run.startedAt);
      expect(run.durationMs).to.be.a('number').at.least(0);
      expect([receipt.agents, receipt.flow.steps[1].outcome]).to.deep.equal([data.agentsLog, 'done']);
    });

    it('tells the model what was wrong, takes it repaired, and counts that as one run', async () => {
      const lead = await makeAgent(demo, 'lead-d');
      const { ask } = await steer([{ type: 'agent', agents: [lead] }]);
      const wrong = call([['lead-d', { curso: 7, turno: 'noite' }]], '', 10);
      const { data, requests } = await ask(rounds(wrong, call([['lead-d', answer]], '', 20), say('Anotei.')));
      expect(toolResultsIn(requests[1])[0])
        .to.match(/^Erro: .*\/curso must be string/)
        .and.include('turno');
      expect(data.jsonArray).to.deep.equal([{ ...lead, data: answer }]);
      const [run, ...others] = data.agentsLog;
      expect(others).to.deep.equal([]);
      expect(run).to.include({ status: 'done', tokens: 30 });
    });

    it('gives an agent up that is not repaired at once, with its error in the log', async () => {
      const lead = await makeAgent(demo, 'lead-e');
      const { ask } = await steer([{ type: 'agent', agents: [lead], canRepeat: false }]);
      const wrong = call([['lead-e', {}]]);
      const { data, requests } = await ask(rounds(wrong, wrong, call([['lead-e', answer]]), say('Não deu.')));
      expect(toolResultsIn(requests[3])[0]).to.match(/não pode mais ser chamada/);
      expect([data.jsonArray, data.agentsLog.length]).to.deep.equal([[], 1]);
      expect(data.agentsLog[0]).to.include({ agentName: 'lead-e', status: 'failed' });
      expect(data.agentsLog[0].error).to.be.a('string').that.includes('curso');
      expect(offeredIn((await ask(say('Certo.'))).requests[0]).has('lead-e')).to.equal(true);
    });

    it('runs an agent that may not repeat once in a turn, too, unless another step lets it repeat', async () => {
      const [once, again] = [await makeAgent(demo, 'lead-i'), await makeAgent(demo, 'lead-j')];
      const { ask } = await steer([
        { type: 'agent', agents: [once, again], canRepeat: false },
        { type: 'notification-trigger', content: 'Quer outro', agents: [again] },
      ]);
      const twice = call(['lead-i', 'lead-i', 'lead-j', 'lead-j'].map(name => [name, answer]));
      const { data, requests } = await ask(rounds(twice, call([['lead-i', answer]]), say('Anotei.')));
      const ran = data.jsonArray.map(({ agentName }: Fields) => agentName);
      expect(ran).to.deep.equal(['lead-i', 'lead-j', 'lead-j']);
      expect(data.agentsLog).to.have.length(3);
      expect(toolResultsIn(requests[2])[0]).to.match(/^Erro: isto já foi feito/);
    });

    it('holds nobody up with a schema that takes for ever to check', async () => {
      const properties = { a: { type: 'string', pattern: '^(a+)+$' } };
      const agents = [await makeAgent(demo, 'endless', { properties }), await makeAgent(demo, 'lead-k')];
      const { ask } = await steer([{ type: 'agent', agents }]);
      const endless = call([['endless', { a: `${'a'.repeat(60)}!` }]]);
      const both = call([
        ['endless', { a: 'aaa' }],
        ['lead-k', answer],
      ]);
      const { data, requests } = await ask(rounds(endless, both, say('Anotei.')));
      expect(data.jsonArray).to.deep.equal([{ ...agents[1], data: answer }]);
      expect(toolResultsIn(requests[1])[0]).to.include('took too long to check');
    });

    it('runs several of one answer side by side, each with its own entry', async () => {
      const [one, two] = [await makeAgent(demo, 'lead-g'), await makeAgent(demo, 'lead-h')];
      const { ask } = await steer([{ type: 'agent', agents: [one, two] }]);
      const both = call([
        ['lead-g', answer],
        ['lead-h', { curso: 'Letras\u0000' }],
      ]);
      const { data } = await ask(rounds(both, say('Anotei.')));
      expect(data.jsonArray).to.deep.equal([
        { ...one, data: answer },
        { ...two, data: { curso: 'Letras' } },
      ]);
      const ran = data.agentsLog.map(({ agentName, tokens }: Fields) => [agentName, tokens]);
      expect(ran).to.deep.equal([
        ['lead-g', 21],
        ['lead-h', 21],
      ]);
    });
  });
});
