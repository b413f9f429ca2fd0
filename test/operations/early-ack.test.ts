import { expect } from 'chai';
import { makeLog } from '../../platform/log.ts';
import { makeBackgroundMapper } from '../../workers/intake/background-mapper.ts';
import { deal, findArrivals } from '../support/crm.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { openService } from '../support/service.ts';
import { makeSource, sendRaw, sendSigned, standardHeaders } from '../support/signed.ts';

describe('an answer before the mapping', () => {
  const service = openService();
  const source = openOnce(() => makeSource(service, { ack: 'early' }));

  const stateOf = async (id: string) => {
    const { state, reasons, record_id } = await service.db('intake_records').where({ id }).first();
    return { state, reasons, record_id };
  };
  const finished = (id: string) =>
    eventually(
      () => stateOf(id),
      ({ state }) => state !== 'received',
    );

  it('names the stored record, which is then mapped', async () => {
    const { status, body } = await sendSigned(service, source, deal(1));
    expect([status, body.state]).to.deep.equal([202, 'received']);
    expect(await finished(body.recordId)).to.include({ state: 'done' });
    expect(await service.db('leads').where({ external_id: '1' })).to.have.length(1);
  });

  it('of a record that cannot be mapped is followed by its refusal, with the reasons', async () => {
    const { status, body } = await sendSigned(service, source, { external_id: 2 });
    expect(status).to.equal(202);
    const { state, reasons } = await finished(body.recordId);
    expect(state).to.equal('refused');
    expect(reasons.map(({ path }: { path: string }) => path)).to.include('dealname');
  });

  it('comes for each record of a list, of which a broken one is refused at once', async () => {
    const { status, body } = await sendSigned(service, source, [deal(3), 'no record', { external_id: 4 }]);
    expect([status, body.map(({ code }: { code: number }) => code)]).to.deep.equal([200, [202, 400, 202]]);
    expect((await finished(body[0].data.recordId)).state).to.equal('done');
    expect((await finished(body[2].data.recordId)).state).to.equal('refused');
    expect((await sendSigned(service, source, [deal(5), deal(6)])).status).to.equal(202);
  });

  it('is refused for a repeated message like any other', async () => {
    const body = JSON.stringify(deal(7));
    const headers = standardHeaders(body);
    expect((await sendRaw(service, source.path, body, headers)).status).to.equal(202);
    expect((await sendRaw(service, source.path, body, headers)).status).to.equal(401);
    expect(await findArrivals(service, 7)).to.have.length(1);
  });

  it('is not given where too many records wait for their mapping, or the worker closes', async () => {
    const locking = await service.db.transaction();
    const mapper = makeBackgroundMapper(service.db, makeLog('test', 'silent'), 3);
    const hint = { hostId: service.demo.hostId, recordId: '00000000-0000-4000-8000-000000000000', size: 2 };
    try {
      await locking.raw('lock table intake_records in access exclusive mode');
      const added = Array.from({ length: 4 }, () => mapper.add(hint));
      expect(added).to.deep.equal([true, true, true, false]);
    } finally {
      await locking.rollback();
    }
    await mapper.close();
    expect(mapper.add(hint)).to.equal(false);
  });
});
