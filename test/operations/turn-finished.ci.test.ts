import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { hold } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';
import { watchQueue } from './queue-watch.ts';

const PASSWORD = 'what operators know';

describe('a full queue', () => {
  const service = openOwnService({ workerConcurrency: 1, opsPassword: PASSWORD });
  const { demo, acme, model } = service;

  it('shows in the turns that waited in it, and its loud host in the figures', async () => {
    const queue = await watchQueue(service, 'turns');
    const held = hold();
    model.script(held.script);
    const first = acme.ask('Que horas abre?');
    await held.held;
    const others = [1, 2, 3].map(nth => acme.ask(`Pergunta ${nth}?`));
    await queue.hasTaken(4);
    const waiting = demo.ask('E aos sábados?');
    await queue.hasTaken(5);
    await queue.hasOneWaiting(300);
    await queue.close();
    held.release();
    await Promise.all([first, waiting, ...others]);
    const turns = service.logged.flatMap(line =>
      line.includes('"turn.finished"') ? [JSON.parse(line)] : [],
    );
    expect(turns).to.have.length(5);
    const queued = turns.filter(({ queueMs }) => queueMs > 200);
    expect(queued.map(({ hostId }) => hostId)).to.include(acme.hostId);
    const headers = { authorization: `Basic ${Buffer.from(`ops:${PASSWORD}`).toString('base64')}` };
    const figures = await eventually(
      async () => String((await service.call('/metrics', undefined, { headers, token: undefined })).body),
      text => text.includes(`parley_host_turns_total{host="${demo.hostId}"`),
    );
    const numberOf = (name: string, labels: string) =>
      Number(new RegExp(`${name}\\{${labels}[^}]*\\} ([\\d.]+)`).exec(figures)?.[1]);
    const turnsOf = (host: string) => numberOf('parley_host_turns_total', `host="${host}",status="200"`);
    expect([turnsOf(acme.hostId), turnsOf(demo.hostId)]).to.deep.equal([4, 1]);
    const queueSeconds = numberOf('parley_host_turn_seconds_total', `host="${acme.hostId}",stage="queue"`);
    expect(queueSeconds).to.be.above(0.2);
  });
});
