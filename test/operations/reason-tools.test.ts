import { expect } from 'chai';
import { setConversation } from '../../db/conversations/conversations.ts';
import { appendMessage } from '../../db/conversations/messages.ts';
import { listMessageTexts } from '../support/conversation-records.ts';
import { call, fail, hold, type ModelScript, rounds, say, toolResultsIn } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

const ticket = { subject: 'Boleto', description: 'Quer a segunda via do boleto.' };

describe('what the model calls for in a turn', () => {
  const service = openService();
  const { model } = service;
  let conversationId: string;
  beforeEach(async () => {
    conversationId = await service.newConversation();
  });

  const ask = async (script: ModelScript, more: Record<string, unknown> = {}) => {
    model.script(script);
    const from = model.requests.length;
    const { status, body } = await service.ask('Oi?', {
      conversationId,
      reasoningConfig: { svcCompleteLog: true },
      ...more,
    });
    const requests = model.requests.slice(from);
    return { status, data: body.data, receipt: body.data?.svcCompleteLog?.[0], requests };
  };
  const kept = async () => (await service.db('conversations').where('id', conversationId))[0];
  const tickets = () => service.db('tickets').where('conversation_id', conversationId);

  it('is offered in every turn as functions of the house', async () => {
    const { requests } = await ask(say('Certo.'));
    const tools = requests[0]?.tools?.map(tool => tool.function.name) ?? [];
    expect(tools).to.include.members(['ask_human_help', 'open_ticket', 'close_conversation']);
    expect(requests[0]?.tool_choice).to.equal(undefined);
  });

  it('hands over to a person, for a reason, until that is cleared', async () => {
    const help = call([['ask_human_help', { reason: 'policy_restriction' }]]);
    const { data, receipt, requests } = await ask(rounds(help, say('Já chamei a equipe.')));
    expect([data.assistantResponse.string, data.askHumanHelp]).to.deep.equal(['Já chamei a equipe.', true]);
    expect(receipt.handover).to.deep.equal({ by: 'model', reason: 'policy_restriction' });
    expect(toolResultsIn(requests[1])[0]).to.match(/equipe foi chamada/);
    expect((await ask(say('Sim?'))).data.askHumanHelp).to.equal(true);
    expect((await kept()).ask_human_help).to.equal(true);
  });

  it('is never taken from words alone', async () => {
    const { data } = await ask(say('Vou chamar um atendente: ask_human_help, falar com humano.'));
    expect(data.askHumanHelp).to.equal(false);
  });

  it('opens a ticket, which the answer names and which belongs to the contact', async () => {
    const { data } = await ask(rounds(call([['open_ticket', ticket]]), say('Anotei.')), {
      userData: { name: 'Rui', email: 'rui@u.example' },
    });
    const [opened, ...others] = await tickets();
    expect(others).to.deep.equal([]);
    expect(data.tickets).to.deep.equal({ ticketId: opened.id, ticketDescription: ticket.description });
    expect(opened).to.include({
      subject: ticket.subject,
      content: ticket.description,
      contact_id: data.userId,
    });
    const next = await ask(say('Certo.'));
    expect(next.data.tickets).to.deep.equal({ ticketId: '', ticketDescription: '' });
  });

  it('leaves the conversation open where a person is to help', async () => {
    await ask(
      rounds(
        call([['close_conversation'], ['ask_human_help', { reason: 'tool_failure' }]]),
        say('Um momento.'),
      ),
    );
    expect(await kept()).to.include({ closed: false, ask_human_help: true });
  });

  it('is told back to the model call by call, beside what it said, and counted', async () => {
    const both = call([['open_ticket', ticket], ['close_conversation']], 'Um instante.', 10);
    const { data, receipt, requests } = await ask(rounds(both, say('Pronto.', 20)));
    expect(requests).to.have.length(2);
    const [called, ...results] = requests[1]?.messages.slice(-3) ?? [];
    expect(called).to.include({ role: 'assistant', content: 'Um instante.' });
    const ids = called?.tool_calls?.map(({ id }) => id);
    expect(results.map(({ role, tool_call_id }) => [role, tool_call_id])).to.deep.equal(
      ids?.map(id => ['tool', id]),
    );
    expect(data.assistantResponse.string).to.equal('Pronto.');
    expect(data.tokensControl).to.deep.equal([{ model: 'scripted', tokens: 30 }]);
    expect(data.restStatus).to.have.length(2);
    expect(receipt.modelCalls.map((each: { tokens: number }) => each.tokens)).to.deep.equal([10, 20]);
    for (const each of [...receipt.toolCalls, ...receipt.modelCalls]) {
      expect(new Date(each.startedAt).toISOString()).to.equal(each.startedAt);
      expect(each.durationMs).to.be.a('number').at.least(0);
    }
    expect(
      receipt.toolCalls.map(({ name, kind, status, round }: Record<string, unknown>) => [
        name,
        kind,
        status,
        round,
      ]),
    ).to.deep.equal([
      ['open_ticket', 'built-in', 'done', 1],
      ['close_conversation', 'built-in', 'done', 1],
    ]);
  });

  it('is answered as an error where it is broken, and the turn goes on', async () => {
    const broken = call([
      ['no_such_function', {}],
      ['weird name\n', '{'],
      ['open_ticket', '{"subject":'],
      ['open_ticket', '[]'],
      ['open_ticket', { subject: 'x' }],
      ['ask_human_help', { reason: 'because' }],
      ['close_conversation', 'null'],
    ]);
    const { status, data, receipt, requests } = await ask(rounds(broken, say('Não deu.')));
    expect([status, data.assistantResponse.string]).to.deep.equal([200, 'Não deu.']);
    const told = toolResultsIn(requests[1]);
    expect(told).to.have.length(7);
    for (const each of told) expect(each).to.match(/^Erro: /);
    expect(receipt.toolCalls.map(({ status: ended }: { status: string }) => ended)).to.deep.equal([
      ...Array.from({ length: 4 }, () => 'refused'),
      'failed',
      'failed',
      'refused',
    ]);
    const echoed = requests[1]?.messages.flatMap(({ tool_calls = [] }) => tool_calls) ?? [];
    for (const {
      function: { name, arguments: args },
    } of echoed) {
      expect(name).to.match(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(() => JSON.parse(args)).to.not.throw();
    }
    expect(await kept()).to.include({ closed: false, ask_human_help: false });
    expect(await tickets()).to.deep.equal([]);
  });

  it('ends after eight rounds in an answer, when the model would go on for ever', async () => {
    const forever: ModelScript = (request, response) =>
      (request.tool_choice === 'none' ? say('Chega.') : call([['no_such_function']]))(request, response);
    const { data, receipt, requests } = await ask(forever);
    expect(data.assistantResponse.string).to.equal('Chega.');
    expect(requests).to.have.length(9);
    expect(receipt.toolCalls).to.have.length(8);
    expect(requests.filter(each => each.tool_choice === 'none')).to.have.length(1);
    expect(requests.at(-1)?.tools).to.not.be.empty;
  });

  it('ends in an answer, too, where the model calls whatever it is offered', async () => {
    const { data, receipt, requests } = await ask((request, response) =>
      (request.tools ? call([['no_such_function']]) : say('Chega.'))(request, response),
    );
    expect(data.assistantResponse.string).to.equal('Chega.');
    expect(receipt.toolCalls).to.have.length(8);
    expect(requests.at(-1)?.tools).to.equal(undefined);
  });

  it('is what it said beside its calls, when it says nothing after them', async () => {
    const help = call([['ask_human_help', { reason: 'customer_request' }]], 'Vou chamar alguém.');
    const { status, data, requests } = await ask(rounds(help, say('')));
    expect([status, data.assistantResponse.string]).to.deep.equal([200, 'Vou chamar alguém.']);
    expect(requests).to.have.length(2);
  });

  it('leaves nothing when the turn ends without an answer', async () => {
    const all = call([
      ['open_ticket', ticket],
      ['close_conversation'],
      ['ask_human_help', { reason: 'tool_failure' }],
    ]);
    const { status } = await ask(rounds(all, fail(401)), {
      userData: { name: 'Ninguém', email: 'ninguem@u.example' },
    });
    expect(status).to.equal(503);
    expect(await tickets()).to.deep.equal([]);
    expect(await kept()).to.include({ closed: false, ask_human_help: false });
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal(['user: Oi?']);
  });

  it('does not happen when a person has come meanwhile, but stands in the receipt', async () => {
    const held = hold(say('Pronto.'));
    model.script(rounds(call([['open_ticket', ticket], ['close_conversation']]), held.script));
    const asked = service.ask('Oi?', { conversationId, reasoningConfig: { svcCompleteLog: true } });
    await held.held;
    await service.demo.inHost(async scope => {
      await setConversation(scope, conversationId, { askHumanHelp: true });
      await appendMessage(scope, { conversationId, author: 'human', content: 'Aqui é a Bia.' });
    });
    held.release();
    const { data } = (await asked).body;
    expect(data.assistantResponse.string).to.equal('');
    expect(data.tickets).to.deep.equal({ ticketId: '', ticketDescription: '' });
    expect(data.askHumanHelp).to.equal(true);
    expect(await tickets()).to.deep.equal([]);
    expect((await kept()).closed).to.equal(false);
    const [receipt] = data.svcCompleteLog;
    expect(receipt).to.deep.include({ silenced: true, ticket: null, closes: false });
    expect(receipt.toolCalls).to.have.length(2);
  });

  it('is left out when the provider will not have the functions at all', async () => {
    const picky: ModelScript = (request, response) =>
      (request.tools ? fail(400) : say('Sem funções.'))(request, response);
    const { status, data } = await ask(picky);
    expect([status, data.assistantResponse.string]).to.deep.equal([200, 'Sem funções.']);
  });
});
