import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { startReceiver } from '../support/receiver.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

const CANARY = 'canario-51b7e0aa';
const schema = { type: 'object', properties: { cpf: { type: 'string' } } };
const boletos = {
  name: 'boletos',
  description: 'Boletos.',
  method: 'GET',
  path: '/boletos/{cpf}',
  arguments: schema,
};
const cancelar = { ...boletos, name: 'cancelar', method: 'DELETE' };
const args = { cpf: '529.982.247-25' };

describe('a function of a REST tool that a person tries', () => {
  const service = openOwnService({ egressAllowPrivate: true });
  const { demo, model } = service;
  const system = openOnce(startReceiver);
  let toolId = '';
  before(async () => {
    const auth = { kind: 'bearer', secret: CANARY };
    const tool = { avatarId: demo.avatarId, name: 'ERP', baseURL: system.url, auth };
    ({ toolId } = await demo.make('saveRestTool', { ...tool, functions: [boletos, cancelar] }));
  });
  beforeEach(() => {
    system.received.length = 0;
    system.script((_, response) => void response.end(`saldo 7 ${CANARY}`));
  });

  const tryOut = (more: Fields = {}, options = {}) =>
    demo.call('tryRestTool', { toolId, function: 'boletos', arguments: args, ...more }, options);
  const lastCalls = async (): Promise<Fields[]> => (await demo.call('listRestCalls', { toolId })).body.data;

  it('is called with the secret, which its answer lacks, also where a turn would ask first or the tool is disabled', async () => {
    await demo.call('saveRestTool', { toolId, enabled: false });
    const { status, body } = await tryOut();
    const { durationMs, ...data } = body.data;
    expect({ status, data }).to.deep.equal({ status: 200, data: { status: 200, text: 'saldo 7 ***' } });
    expect(durationMs).to.be.a('number');
    await tryOut({ function: 'cancelar' });
    expect(system.received.map(({ path, headers }) => [path, headers.authorization])).to.deep.equal([
      [`/boletos/529.982.247-25`, `Bearer ${CANARY}`],
      [`/boletos/529.982.247-25`, `Bearer ${CANARY}`],
    ]);
    await demo.call('saveRestTool', { toolId, enabled: true });
  });

  it('gets tokens where the host masks identifiers, and the answer has these back', async () => {
    await setHost(service.db, demo.slug, { mask: true });
    system.script(({ path }, response) => void response.end(decodeURIComponent(path)));
    expect((await tryOut()).body.data.text).to.equal('/boletos/529.982.247-25');
    expect(system.received[0]?.path).to.equal('/boletos/%5BCPF_1%5D');
    await setHost(service.db, demo.slug, { mask: false });
  });

  it('says of a failure what a turn says, and refuses what is not there', async () => {
    system.script((_, response) => void response.writeHead(404).end('não há'));
    expect((await tryOut()).body.data).to.include({
      status: 404,
      text: 'O sistema recusou com 404. não há',
      error: 'refused with 404',
    });
    expectWrong(await tryOut({ function: 'outra' }), 'function', /names no function/);
    expectRefused(await tryOut({ toolId: randomUUID() }), 'rest-tool-not-found');
    expectRefused(await demo.call('listRestCalls', { toolId: randomUUID() }), 'rest-tool-not-found');
    const foreign = { toolId, function: 'boletos', arguments: args };
    expectRefused(await service.acme.call('tryRestTool', foreign), 'rest-tool-not-found');
    expect(system.received).to.have.length(1);
  });

  it('is called once for a key, and is in the audit without its arguments and answer', async () => {
    const headers = { 'idempotency-key': 'uma-vez' };
    const [first, second] = [await tryOut({}, { headers }), await tryOut({}, { headers })];
    expect(second.body).to.deep.equal(first.body);
    expect(system.received).to.have.length(1);
    const [entry] = (await demo.call('listAudit', { operation: 'tryRestTool', limit: 1 })).body.data.items;
    expect(entry).to.deep.include({ table: 'rest_tools', rowId: toolId, rowName: 'ERP' });
    expect(entry.after.last_try).to.include({ function: 'boletos', status: 200 });
    expect(JSON.stringify(entry)).not.to.match(/529\.?982|saldo/);
  });

  it('is in the audit of turns where it changes something, with who asked in which conversation, and nothing else of it', async () => {
    const changing = { ...cancelar, name: 'baixar', confirm: 'none' };
    await demo.call('saveRestTool', { toolId, functions: [boletos, changing] });
    const token = await service.makeToken({ hostIds: [demo.hostId], name: 'WhatsApp' });
    const unsendable = ['ERP__baixar', {}] as const;
    const calls = [['ERP__boletos', args], ['ERP__baixar', args], unsendable] as const;
    model.script(rounds(call(calls), say('Pronto.')));
    const { data } = await service.ask('Baixa?', {}, { token });
    const listed = await demo.call('listAudit', { operation: 'tool.called' });
    const { conversationId } = data;
    expect(listed.body.data.items).to.have.length(1);
    const [entry] = listed.body.data.items;
    expect(entry).to.deep.include({
      actorKind: 'token',
      actorName: 'WhatsApp',
      rowId: toolId,
      rowName: 'ERP',
    });
    const { durationMs, turnId, at, ...noted } = entry.after.last_try;
    const { avatarId } = demo;
    expect(noted).to.deep.equal({ function: 'baixar', status: 200, conversationId, avatarId });
    expect([durationMs, typeof turnId, typeof at]).to.deep.equal([durationMs, 'string', 'string']);
    expect(JSON.stringify(entry)).not.to.match(/529\.?982|saldo|canario/);
  });

  it('is in the audit also where its turn ended before the answer', async () => {
    system.script(() => client.abort());
    const client = new AbortController();
    model.script(rounds(call([['ERP__baixar', args]]), say('Pronto.')));
    await service.ask('Baixa!', {}, { signal: client.signal }).catch(() => 'left');
    const entries = await eventually(
      () => demo.call('listAudit', { operation: 'tool.called' }),
      ({ body }) => body.data.items.length === 2,
    );
    const { last_try } = entries.body.data.items[0].after;
    expect(last_try).to.include({ status: 0, error: 'not known whether it arrived' });
  });

  it('is in the log where its tool was deleted before the answer, so that the audit has no row for it', async () => {
    const tool = { avatarId: demo.avatarId, name: 'Velho', baseURL: system.url };
    const functions = [{ ...cancelar, name: 'baixar', confirm: 'none' }];
    const old = await demo.make('saveRestTool', { ...tool, functions });
    system.script((_, response) => {
      void demo
        .call('saveRestTool', { toolId: old.toolId, deleted: true })
        .then(() => response.end('baixado'));
    });
    model.script(rounds(call([['Velho__baixar', args]]), say('Pronto.')));
    expect((await service.ask('Baixa!')).status).to.equal(200);
    const lines = service.logged.map(line => JSON.parse(line) as Fields);
    const unnoted = lines.filter(({ event }) => event === 'turn.call_unnoted');
    expect(unnoted.map(({ toolId, function: name, status }) => [toolId, name, status])).to.deep.equal([
      [old.toolId, 'baixar', 200],
    ]);
  });

  it('stands in the last calls of the tool, with those of turns, the newest first', async () => {
    await demo.call('saveRestTool', { toolId, functions: [boletos, cancelar] });
    model.script(rounds(call([['ERP__boletos', args]]), say('Pronto.')));
    const { data } = await service.ask('Tenho boletos?');
    await tryOut({ function: 'cancelar' });
    const [tried, asked] = await lastCalls();
    expect(tried).to.deep.include({ function: 'cancelar', status: 200, calledBy: 'person' });
    expect(tried).not.to.have.any.keys('error', 'conversationId');
    const { conversationId } = data;
    expect(asked).to.deep.include({ function: 'boletos', status: 200, calledBy: 'turn', conversationId });
    expect((await demo.call('listRestCalls', { toolId, limit: 1 })).body.data).to.deep.equal([tried]);
  });
});
