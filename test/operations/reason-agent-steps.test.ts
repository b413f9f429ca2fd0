import { expect } from 'chai';
import { makeAgent, makeAvatarWithFlow, type Step } from '../support/avatar-with-flow.ts';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import { call, fail, type ModelScript, rounds, say } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { openService } from '../support/service.ts';

describe('a step that is to run its agents as soon as their required arguments are known', () => {
  const service = openService();
  const { demo, model } = service;
  const conversation = openConversation(service, withReceipt);

  const steer = async (steps: readonly Step[]) => {
    const { subSlug } = await makeAvatarWithFlow(demo, steps);
    return async (script: ModelScript, more: Fields = {}) => {
      model.script(script);
      const { status, data, text, receipt, requests } = await conversation.ask('Oi?', { subSlug, ...more });
      expect(status).to.equal(200);
      const { warnings, flow } = receipt;
      return { data, text, steps: flow.steps, warnings, requests, forced: requests.map(forcedIn) };
    };
  };
  const forcedIn = ({ tool_choice: choice }: { tool_choice?: unknown }) =>
    (choice as { function?: { name?: string } } | undefined)?.function?.name;
  const obey = (args: Fields): ModelScript => {
    return (request, response) => {
      const name = forcedIn(request);
      return (name ? call([[name, args]]) : say('Certo.'))(request, response);
    };
  };
  const knowing = (curso: string) => ({ globalData: { curso } });

  it('has the model call them when data give all of them, and be free to answer then', async () => {
    const lead = await makeAgent(demo, 'due-a');
    const ask = await steer([{ type: 'agent', agents: [lead] }]);
    const globalData = { Curso: 'Direito' };
    const { data, text, steps, requests, forced } = await ask(obey({ curso: 'Direito' }), { globalData });
    expect(forced).to.deep.equal(['due-a', undefined]);
    expect(requests[0]?.tool_choice).to.deep.equal({ type: 'function', function: { name: 'due-a' } });
    expect(data.jsonArray).to.deep.equal([{ ...lead, data: { curso: 'Direito' } }]);
    expect([text, steps]).to.deep.equal(['Certo.', [{ step: 0, type: 'agent', outcome: 'done' }]]);
  });

  it('tells in the receipt which functions are more than a model takes', async () => {
    const agents = await Promise.all(Array.from({ length: 30 }, (_, at) => makeAgent(demo, `many-${at}`)));
    const handoff = { type: 'handoff', content: 'Quer falar com alguém' };
    const handoffs = Array.from({ length: 99 }, () => handoff);
    const ask = await steer([...handoffs, { type: 'notification-trigger', content: 'Quer', agents }]);
    const { warnings, requests } = await ask(say('Certo.'));
    const offered = requests[0]?.tools?.map(({ function: { name } }) => name) ?? [];
    expect(offered).to.have.length(128);
    const leftOut = agents.map(({ agentName }) => agentName).filter(name => !offered.includes(name));
    const names = leftOut.map(name => `"${name}"`).join(', ');
    const warning = `the flow has more functions than the 128 that a model takes; left out: ${names}`;
    expect(warnings).to.deep.equal([warning]);
  });

  it('tells in the receipt which arguments of which agents are missing until then', async () => {
    const [one, two] = [await makeAgent(demo, 'due-b'), await makeAgent(demo, 'due-c')];
    const ask = await steer([
      { type: 'notification-conversation', content: 'Seja breve.' },
      { type: 'agent', agents: [one, two] },
      { type: 'notification-trigger', content: 'Quer', agents: [two] },
    ]);
    const { steps, forced, requests } = await ask(say('Qual curso?'));
    expect(forced).to.deep.equal([undefined]);
    const waiting = ['due-b', 'due-c'].map(agentName => ({ agentName, missing: ['curso'] }));
    expect(steps[1]).to.deep.equal({ step: 1, type: 'agent', outcome: 'offered', waiting });
    expect(steps[2]).to.deep.equal({ step: 2, type: 'notification-trigger', outcome: 'offered' });
    expect(JSON.stringify(requests[0]?.messages)).to.match(/Assim que conhecer.*due-b/);
  });

  it('takes a value that does not meet the schema for none', async () => {
    const ask = await steer([{ type: 'agent', agents: [await makeAgent(demo, 'due-d')] }]);
    const { steps, forced } = await ask(say('Qual curso?'), knowing('D'));
    expect(forced).to.deep.equal([undefined]);
    expect(steps[0].waiting).to.deep.equal([{ agentName: 'due-d', missing: ['curso'] }]);
  });

  it('has each called once, one after the other, and not again in later turns', async () => {
    const [one, two] = [await makeAgent(demo, 'due-e'), await makeAgent(demo, 'due-f')];
    for (const more of [{}, { canRepeat: false }]) {
      await conversation.restart();
      const ask = await steer([{ type: 'agent', agents: [one, two], ...more }]);
      const first = await ask(obey({ curso: 'Direito' }), knowing('Direito'));
      expect([first.forced, first.data.jsonArray.length]).to.deep.equal([['due-e', 'due-f', undefined], 2]);
      const second = await ask(obey({ curso: 'Direito' }));
      expect([second.forced, second.data.jsonArray]).to.deep.equal([[undefined], []]);
      const isOffered = second.requests[0]?.tools?.some(({ function: { name } }) => name === 'due-e');
      expect(isOffered).to.equal(!('canRepeat' in more));
    }
  });

  it('has them called again in the next turn where what the model gave them was wrong', async () => {
    const ask = await steer([{ type: 'agent', agents: [await makeAgent(demo, 'due-i')], canRepeat: false }]);
    const { data, steps } = await ask(obey({ semestre: 0 }), knowing('Letras'));
    expect(data.agentsLog.map(({ status }: { status: string }) => status)).to.deep.equal(['failed']);
    expect(steps[0].waiting).to.deep.equal([{ agentName: 'due-i', missing: [] }]);
    expect((await ask(obey({}))).forced).to.deep.equal(['due-i', undefined]);
  });

  it('fills in from the data what the model left out or blank', async () => {
    const lead = await makeAgent(demo, 'due-j');
    const ask = await steer([{ type: 'agent', agents: [lead] }]);
    const { data } = await ask(obey({ curso: ' ', semestre: 2 }), knowing('Letras'));
    expect(data.jsonArray).to.deep.equal([{ ...lead, data: { curso: 'Letras', semestre: 2 } }]);
  });

  it('asks a provider that refuses to be told what to call without that, and answers', async () => {
    for (const status of [400, 422]) {
      const agents = [await makeAgent(demo, `due-k${status}`), await makeAgent(demo, `due-l${status}`)];
      const ask = await steer([{ type: 'agent', agents }]);
      const fussy: ModelScript = (request, response) =>
        (forcedIn(request) ? fail(status) : say('Certo.'))(request, response);
      const { text, forced, requests } = await ask(fussy, knowing('Letras'));
      expect([text, forced]).to.deep.equal(['Certo.', [`due-k${status}`, undefined]]);
      expect(requests[1]?.tools?.length).to.equal(requests[0]?.tools?.length);
    }
  });

  it('knows what was said of the person in an earlier turn, and shows the model what they need of it', async () => {
    const lead = await makeAgent(demo, 'due-m');
    const ask = await steer([{ type: 'agent', agents: [lead] }]);
    const userData = { name: 'Ana', curso: 'Letras', segredo: 'x' };
    const help = call([['ask_human_help', { reason: 'customer_request' }]]);
    expect((await ask(rounds(help, say('Certo.')), { userData })).forced[0]).to.equal('due-m');
    const { forced, requests, data } = await ask(obey({}));
    expect(forced[0]).to.equal('due-m');
    expect(JSON.stringify(requests[0]?.messages)).to.include('Letras').and.not.include('segredo');
    expect(data.jsonArray).to.deep.equal([{ ...lead, data: { curso: 'Letras' } }]);
  });

  it('has one that takes nothing called at once, and leaves one that demands nothing to the model', async () => {
    const agents = [
      await makeAgent(demo, 'due-nothing', { properties: {} }),
      await makeAgent(demo, 'due-optional', { properties: { nota: { type: 'string' } } }),
    ];
    const ask = await steer([{ type: 'agent', agents }]);
    const { forced, steps } = await ask(obey({}));
    expect(forced).to.deep.equal(['due-nothing', undefined]);
    expect(steps[0].waiting).to.deep.equal([{ agentName: 'due-optional', missing: [] }]);
  });
});
