import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { openConversation } from '../support/conversation.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { startReceiver } from '../support/receiver.ts';
import { call, fail, hold, rounds, say, toolResultsIn } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { openOwnService } from '../support/service.ts';

const PAY = 'ERP__pagar';
const args = { boleto: '7', cpf: '529.982.247-25' };
const pagar = {
  name: 'pagar',
  description: 'Paga um boleto.',
  method: 'POST',
  path: '/boletos/{boleto}',
  arguments: { type: 'object', properties: { boleto: { type: 'string' }, cpf: { type: 'string' } } },
};
const asksFor = 'Pago o boleto 7. Confirma?';

describe('a call that changes something', () => {
  const service = openOwnService({ egressAllowPrivate: true, requestTimeoutMs: 12_000 });
  const { demo, model } = service;
  const system = openOnce(startReceiver);
  const conversation = openConversation(service, withReceipt);
  beforeEach(async () => {
    system.script((_, response) => void response.end('{"pago": true}'));
    await demo.make('saveRestTool', {
      avatarId: demo.avatarId,
      name: 'ERP',
      baseURL: `${system.url}/api`,
      functions: [pagar],
    });
  });
  afterEach(async () => {
    await service.db('rest_tools').delete();
    for (const wire of [system.received, model.requests]) wire.length = 0;
  });

  /** A turn whose model makes these calls, one after the other; `told` is what it got for the last. */
  const turn = async (question: string, calls: readonly Fields[], more: Fields = {}) => {
    model.script(rounds(...calls.map(sent => call([[PAY, sent]])), say(asksFor)));
    const { status, body, data, requests } = await conversation.ask(question, more);
    expect(status, JSON.stringify(body)).to.equal(200);
    const lines: Fields[] = data.restStatus.filter(({ name }: { name: string }) => name === 'rest:ERP:pagar');
    const prompt = (requests[0]?.messages ?? []).map(({ content }) => content).join('\n');
    const [told = ''] = toolResultsIn(requests.at(-1));
    return { data, statuses: lines.map(({ status }) => status), error: lines[0]?.['error'], prompt, told };
  };
  const UNTOLD =
    /^system: O assistente chamou rest:ERP:pagar \(resposta 200\), registro k\S+, antes de parar; a pessoa ainda não sabe\.$/;
  const untold = async () => (await conversation.said()).filter(line => line.startsWith('system: '));
  const row = () => service.db('tool_confirmations').where('conversation_id', conversation.id).first();

  it('is made in the turn after the one that asks, once, with a key of that turn', async () => {
    const asked = await turn('Paga o 7?', [args, args]);
    expect([asked.statuses, asked.error]).to.deep.equal([[202], 'waits for a yes']);
    expect(asked.told).to.include('"boleto":"7"').and.include('peça um sim');
    expect(asked.data.svcCompleteLog[0].outsideCalls[0]).to.include({ status: 202 });
    expect(system.received).to.deep.equal([]);
    const sameInAnotherOrder = { cpf: args.cpf, boleto: args.boleto };
    const made = await turn('Sim.', [sameInAnotherOrder, args]);
    expect(made.prompt).to.include(`- ${PAY} {"boleto":"7","cpf":"529.982.247-25"}`);
    expect([made.statuses, made.told]).to.deep.equal([[200], '{"pago": true}']);
    const audited = await service.db('audit_entries').where({ operation: 'tool.called' });
    expect(audited.map(({ after }) => after.last_try.function)).to.deep.equal(['pagar']);
    expect(system.received.map(({ path }) => path)).to.deep.equal(['/api/boletos/7']);
    const again = await turn('De novo!', [args]);
    expect([again.statuses, again.prompt.includes(PAY)]).to.deep.equal([[202], false]);
    await turn('Sim.', [args]);
    const keys = system.received.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys)).to.have.lengthOf(2);
    expect(keys[0]).to.match(/^[\w-]{43}$/);
  });

  const forgetting: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a turn that calls nothing', () => turn('E o horário?', [])],
    ['a call with other arguments', () => turn('O 8!', [{ ...args, boleto: '8' }])],
    [
      'fifteen minutes',
      () => service.db('tool_confirmations').update({ asked_at: new Date(Date.now() - 900_100) }),
    ],
    [
      'a word of the staff',
      () =>
        demo.call('appendMessage', {
          conversationId: conversation.id,
          author: 'human',
          content: 'Outra coisa?',
        }),
    ],
    [
      'a change of the function',
      () =>
        service.db('rest_tools').update({ functions: JSON.stringify([{ ...pagar, path: '/x/{boleto}' }]) }),
    ],
  ];
  for (const [what, forget] of forgetting)
    it(`is asked anew after ${what}`, async () => {
      await turn('Paga o 7?', [args]);
      await forget();
      expect((await turn('Sim.', [args])).statuses).to.deep.equal([202]);
      expect(system.received).to.deep.equal([]);
      expect((await turn('Sim.', [args])).statuses).to.deep.equal([200]);
    });

  it('is not made for a yes that was written before the answer that asks', async () => {
    const held = hold(say(asksFor));
    model.script(rounds(call([[PAY, args]]), held.script));
    const first = conversation.ask('Paga o 7?');
    await held.held;
    const second = conversation.ask('Sim, paga!');
    await eventually(
      () => conversation.turns(),
      ({ length }) => length === 2,
    );
    held.release();
    const statusesOf = (data: { restStatus: { name: string; status: number }[] }) =>
      data.restStatus.filter(({ name }) => name.startsWith('rest:')).map(({ status }) => status);
    expect(statusesOf((await first).data)).to.deep.equal([202]);
    expect(statusesOf((await second).data)).to.deep.equal([202]);
    expect(system.received).to.deep.equal([]);
  });

  for (const [on_failure, status] of [
    ['handoff', 200],
    ['error', 503],
  ] as const)
    it(`waits for nobody where the answer that asks was not given: ${on_failure}`, async () => {
      await service.db('avatars').where({ id: demo.avatarId }).update({ on_failure });
      model.script(rounds(call([[PAY, args]]), fail(400)));
      expect((await conversation.ask('Paga o 7?')).status).to.equal(status);
      expect(await row()).to.equal(undefined);
      expect((await turn('Sim.', [args])).statuses).to.deep.equal([202]);
    });

  it('waits for nobody where a member of staff took over before that answer', async () => {
    const held = hold(say(asksFor));
    model.script(rounds(call([[PAY, args]]), held.script));
    const asked = conversation.ask('Paga o 7?');
    await held.held;
    await service
      .db('conversations')
      .where({ id: conversation.id })
      .update({ attended: true, ask_human_help: true });
    held.release();
    expect((await asked).text).to.equal('');
    expect(await row()).to.equal(undefined);
  });

  it('of which nobody knows whether it arrived is not made again, and every later turn says so', async () => {
    for (const lose of [
      (_: unknown, response: { destroy(): unknown }) => void response.destroy(),
      () => undefined,
    ]) {
      await conversation.restart();
      await turn('Paga o 7?', [args]);
      system.received.length = 0;
      system.script(lose);
      const lost = await turn('Sim.', [args, args]);
      expect(lost.statuses).to.deep.equal([0]);
      expect(lost.error).to.match(/^not known whether it arrived: no /);
      expect(lost.told).to.include('não se sabe').and.include('Não o repita');
      const later = await turn('E aí?', [args]);
      expect(later.prompt).to.include('Não se sabe se estas chamadas chegaram').and.include(PAY);
      expect([later.statuses, later.told]).to.deep.equal([[0], lost.told]);
      expect(system.received).to.have.lengthOf(1);
    }
  });

  it('that cannot have left may be asked for anew, and one that was refused, too', async () => {
    await turn('Paga o 7?', [args]);
    system.script((_, response) => void response.writeHead(409).end('já pago'));
    const refused = await turn('Sim.', [args]);
    expect([refused.statuses, refused.told]).to.deep.equal([[409], 'O sistema recusou com 409. já pago']);
    const closed = await startReceiver();
    await closed.close();
    await service.db('rest_tools').update({ config: { baseURL: closed.url, auth: { kind: 'none' } } });
    for (const expected of [202, 0, 202])
      expect((await turn('Sim.', [args])).statuses).to.deep.equal([expected]);
  });

  it('gives its answer again to the next turn, where its own turn ended before it could tell', async () => {
    await turn('Paga o 7?', [args]);
    const held = hold();
    model.script(rounds(call([[PAY, args]]), held.script));
    const client = new AbortController();
    const left = conversation.ask('Sim.', {}, { signal: client.signal }).catch(() => 'left');
    await held.held;
    client.abort();
    expect(await left).to.equal('left');
    await eventually(
      () => conversation.states(),
      states => states.at(-1) === 'unanswered',
    );
    expect((await untold()).join('\n')).to.match(UNTOLD);
    const told = await turn('Deu certo?', [args]);
    expect(told.prompt).to.include('já foram feitas');
    expect([told.statuses, told.told]).to.deep.equal([[200], '{"pago": true}']);
    expect(system.received).to.have.lengthOf(1);
    expect((await turn('Obrigado.', [args])).statuses).to.deep.equal([202]);
  });

  it('is told to staff at once and by the next turn that answers, where staff silenced its own or the model failed after it', async () => {
    await service.db('avatars').where({ id: demo.avatarId }).update({ on_failure: 'handoff' });
    const word = { author: 'human', from_channel: true, content: 'Oi, é a Bia.' };
    for (const end of ['staff', 'failure']) {
      await conversation.restart();
      system.received.length = 0;
      await turn('Paga o 7?', [args]);
      const held = hold(end === 'staff' ? say('Pago.') : fail(400));
      model.script(rounds(call([[PAY, args]]), held.script));
      const asked = conversation.ask('Sim.');
      await held.held;
      const at = { conversationId: conversation.id };
      if (end === 'staff') await demo.call('appendMessage', { ...at, ...word });
      held.release();
      expect((await asked).status).to.equal(200);
      expect((await untold()).join('\n'), end).to.match(UNTOLD);
      await demo.call('updateConversation', { ...at, ask_human_help: false });
      const told = await turn('Pagou?', [args]);
      expect([told.statuses, told.told], end).to.deep.equal([[200], '{"pago": true}']);
      expect((await turn('Obrigado.', [args])).statuses).to.deep.equal([202]);
      expect([system.received.length, (await untold()).length]).to.deep.equal([1, 1]);
    }
    await service.db('avatars').where({ id: demo.avatarId }).update({ on_failure: 'error' });
  });

  it('is refused at once where it cannot be sent', async () => {
    const { statuses, told } = await turn('Paga!', [{}]);
    expect([statuses, told]).to.deep.equal([[0], 'Erro: argumentos inválidos: boleto é obrigatório']);
    const long = await turn('Paga!', [{ boleto: '7', cpf: 'x'.repeat(9_000) }]);
    expect([long.statuses, await row()]).to.deep.equal([[0], undefined]);
  });

  it('is the same for a person whose identifiers are masked, in the tokens of either turn', async () => {
    await setHost(service.db, 'demo', { mask: true });
    const wanted = { boleto: '7', cpf: '[CPF_1]' };
    const asked = await turn('Meu CPF é 529.982.247-25: paga o 7?', [wanted]);
    const made = await turn('Sim.', [wanted]);
    await setHost(service.db, 'demo', { mask: false });
    expect([asked.statuses, made.statuses]).to.deep.equal([[202], [200]]);
    expect(made.prompt)
      .to.include('"cpf":"[CPF_1]"')
      .and.not.match(/529\.?982/);
    expect(system.received.map(({ text }) => text)).to.deep.equal(['{"cpf":"[CPF_1]"}']);
    expect((await row()).arguments).to.include('529.982.247-25');
  });

  it('is not made in a rehearsal, which shows that it would be asked for', async () => {
    const rehearsal = { reasoningConfig: { rehearsal: true, svcCompleteLog: true } };
    for (const question of ['Paga o 7?', 'Sim.']) {
      const { statuses, error, told } = await turn(question, [args], rehearsal);
      expect([statuses, error]).to.deep.equal([[202], 'not made in a rehearsal']);
      expect(told).to.include('ensaio');
    }
    expect([system.received, await row()]).to.deep.equal([[], undefined]);
  });
});
