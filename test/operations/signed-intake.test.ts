import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { NewSource } from '../../db/intake/crm-sources.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import { deal, findArrivals } from '../support/crm.ts';
import { openOnce } from '../support/opened.ts';
import { openService } from '../support/service.ts';
import { hmacOf, makeSource, sendRaw, sendSigned, standardHeaders } from '../support/signed.ts';

const MINUTE_MS = 60_000;

describe('a signed record without a token', () => {
  const service = openService();
  const { demo } = service;
  const source = openOnce(() => makeSource(service));

  it('is received as one with a token is, on the host of its source', async () => {
    const { status, body } = await sendSigned(service, source, { ...deal(1), canal: 'feira' });
    expect([status, body.entityData.status]).to.deep.equal([200, 'created']);
    expect(body.interData).to.deep.equal([{ field: 'canal', value: 'feira' }]);
    const [lead] = await service.db('leads').where({ id: body.entityData.id });
    expect(lead).to.include({ host_id: demo.hostId });
    const again = await sendSigned(service, source, { ...deal(1), canal: 'feira' });
    expect(again.body.entityData).to.deep.equal({ id: body.entityData.id, status: 'unchanged' });
  });

  it('may be a form, whose bytes are signed', async () => {
    const form = 'external_id=12&dealname=Ana+-+Direito&email=ana%40example.com&fields[turno]=noite';
    const headers = { ...standardHeaders(form), 'content-type': 'application/x-www-form-urlencoded' };
    const { status, body } = await sendRaw(service, source.path, form, headers);
    expect([status, body.contactData?.email]).to.deep.equal([200, 'ana@example.com']);
    expect(body.interData).to.deep.equal([{ field: 'fields', value: { turno: 'noite' } }]);
  });

  it('is refused alike where the address, the signature or the time is wrong, and stores nothing', async () => {
    const off = await makeSource(service, { enabled: false });
    const body = JSON.stringify(deal(2));
    const past = { at: new Date(Date.now() - 5.1 * MINUTE_MS) };
    const future = { at: new Date(Date.now() + 5.1 * MINUTE_MS) };
    const other = { secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` };
    const right = standardHeaders(body);
    const attempts = [
      [`${source.path}x`, right],
      [off.path, right],
      [source.path, {}],
      [source.path, standardHeaders(body, past)],
      [source.path, standardHeaders(body, future)],
      [source.path, standardHeaders(body, other)],
      [source.path, standardHeaders(`${body} `)],
      [source.path, { ...right, 'webhook-id': 'other' }],
      [source.path, { ...right, 'webhook-timestamp': `${Number(right['webhook-timestamp']) + 1}` }],
      [source.path, { ...right, 'webhook-timestamp': 'now' }],
      [source.path, { ...right, 'webhook-signature': `v2${right['webhook-signature']?.slice(2)}` }],
      [source.path, { ...right, 'webhook-signature': 'v1,' }],
      [source.path, { authorization: `Bearer ${demo.token}` }],
    ] as const;
    for (const [path, headers] of attempts)
      expectRefused(await sendRaw(service, path, body, headers), 'signature-invalid');
    expect(await findArrivals(service, 2)).to.deep.equal([]);
  });

  it('takes any of several signatures, and clocks that differ by less than five minutes', async () => {
    const body = JSON.stringify(deal(3));
    const right = standardHeaders(body, { at: new Date(Date.now() - 4.9 * MINUTE_MS) });
    const signature = `v1a,xyz v1,${'A'.repeat(44)} ${right['webhook-signature']}`;
    const several = { ...right, 'webhook-signature': signature };
    expect((await sendRaw(service, source.path, body, several)).status).to.equal(200);
    const ahead = standardHeaders(body, { at: new Date(Date.now() + 4.9 * MINUTE_MS) });
    expect((await sendRaw(service, source.path, body, ahead)).status).to.equal(200);
  });

  it('is refused when exactly this message was stored before, not when it is signed anew', async () => {
    const body = JSON.stringify(deal(4));
    const id = 'msg_4';
    const headers = standardHeaders(body, { id });
    expect((await sendRaw(service, source.path, body, headers)).status).to.equal(200);
    expect((await sendRaw(service, source.path, body, headers)).status).to.equal(401);
    const retried = standardHeaders(body, { id, at: new Date(Date.now() + 2_000) });
    expect((await sendRaw(service, source.path, body, retried)).status).to.equal(200);
    expect(await findArrivals(service, 4)).to.have.length(2);
    const twins = standardHeaders(body, { id: 'twins' });
    const at = await Promise.all(Array.from({ length: 6 }, () => sendRaw(service, source.path, body, twins)));
    const statuses = at.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).to.deep.equal([200, ...Array(5).fill(401)]);
  });

  it('is signed without its content coding, and read as it was signed', async () => {
    const text = `{"external_id": 123456789012345678901, "dealname": "São João", "email":"a@example.com"}`;
    const gzip = { 'content-encoding': 'gzip' };
    const packed = gzipSync(text);
    const ofText = { ...standardHeaders(text), ...gzip };
    expect((await sendRaw(service, source.path, packed, ofText)).status).to.equal(200);
    const ofPacked = { ...standardHeaders(packed.toString('latin1')), ...gzip };
    expect((await sendRaw(service, source.path, packed, ofPacked)).status).to.equal(401);
    expect(await service.db('leads').where({ external_id: '123456789012345678901' })).to.have.length(1);
  });

  it('keeps the limits of every body', async () => {
    const send = (body: string) => sendRaw(service, source.path, body, standardHeaders(body));
    expect((await send('x'.repeat(1_048_577))).status).to.equal(413);
    expect((await send('{')).body.message).to.equal('The body is not valid JSON');
    expectWrong(await send('['.repeat(33)), '', /^is nested over 32 levels$/);
    const body = JSON.stringify(deal(5));
    const typed = { ...standardHeaders(body), 'content-type': 'text/xml' };
    expect((await sendRaw(service, source.path, body, typed)).status).to.equal(415);
    expect((await send('{"hostId":"x"}')).body.data.fields[0].path).to.equal('hostId');
    expect((await service.call(source.path, undefined, { method: 'GET' })).status).to.equal(405);
  });

  it('may be one of a list, where each has its own fate and the last of equal ids wins', async () => {
    const latest = { ...deal(6), dealname: 'Latest' };
    const list = [deal(6), { dealname: 'no id' }, 5, latest, { ...deal(7), hostId: 'x' }];
    const { status, body } = await sendSigned(service, source, list);
    expect(status).to.equal(200);
    expect(body.map(({ code }: { code: number }) => code)).to.deep.equal([200, 400, 400, 200, 400]);
    expect(body[0].data.entityData.id).to.equal(body[3].data.entityData.id);
    expect(body[1].data.fields[0].path).to.equal('external_id');
    expect(await service.db('leads').where({ external_id: '6' }).pluck('dealname')).to.deep.equal(['Latest']);
    expect(await service.db('leads').where({ external_id: '7' })).to.deep.equal([]);
  });

  it('of a list arrived later than the one before it, to the database too', async () => {
    // Most times of arrival leave room for the order; so several lists are sent. The records lack their id, and are stored as received.
    for (const name of Array.from({ length: 8 }, (_, n) => `list ${n}`)) {
      const list = Array.from({ length: 25 }, (_, at) => ({ dealname: name, at }));
      await sendSigned(service, source, list);
      const { rows } = await service.db.raw<{ rows: { at: number; arrived: string }[] }>(
        `select (body ->> 'at')::integer as at, arrived_at::text as arrived from intake_records
         where body ->> 'dealname' = ? order by arrived_at`,
        [name],
      );
      expect(rows.map(({ at }) => at)).to.deep.equal(list.map(({ at }) => at));
      expect(new Set(rows.map(({ arrived }) => arrived))).to.have.property('size', list.length);
    }
  });

  it('is refused with its list when that is empty or longer than 100', async () => {
    const many = Array.from({ length: 101 }, (_, n) => deal(1_000 + n));
    for (const [list, message] of [
      [[], 'must contain at least 1 record'],
      [many, 'must contain at most 100 records'],
    ] as const)
      expectWrong(await sendSigned(service, source, list), '', new RegExp(`^${message}$`));
    expect((await sendSigned(service, source, many.slice(1))).body).to.have.length(100);
  });

  it('is refused as a whole where a header names another host', async () => {
    const body = JSON.stringify([deal(2_000), deal(2_001)]);
    const headers = { ...standardHeaders(body), 'x-choosen-host-id': service.acme.hostId };
    const { status } = await sendRaw(service, source.path, body, headers);
    expect([status, await service.db('leads').where({ external_id: '2000' })]).to.deep.equal([403, []]);
  });

  it('of HubSpot is signed with its method, URL and time in milliseconds', async () => {
    const [secret, baseUrl] = ['the client secret of the app', 'https://crm.example.com/parley'];
    const hubspot = await makeSource(service, { scheme: 'hubspot', secret, settings: { baseUrl } });
    const body = JSON.stringify([{ ...deal(8), dealname: 'Inscrição' }]);
    const signed = (url: string, at: number) => ({
      'x-hubspot-signature-v3': hmacOf(secret, `POST${url}${body}${at}`, { encoding: 'base64' }),
      'x-hubspot-request-timestamp': String(at),
    });
    const send = (query: string, headers: Record<string, string>) =>
      sendRaw(service, `${hubspot.path}${query}`, body, headers);
    const url = `${baseUrl}${hubspot.path}`;
    expect((await send('', signed(url, Date.now()))).status).to.equal(200);
    expect((await send('?a=b%3Ac%20d', signed(`${url}?a=b:c%20d`, Date.now()))).status).to.equal(200);
    expect((await send('', signed(`${service.baseURL}${hubspot.path}`, Date.now()))).status).to.equal(401);
    expect((await send('', signed(url, Date.now() - 5.1 * MINUTE_MS))).status).to.equal(401);
  });

  it('of any other source has its HMAC in a header, with a time where it signs one', async () => {
    const secret = 'sixteen letters!';
    const make = (settings: NewSource['settings']) =>
      makeSource(service, { scheme: 'hmac', secret, settings });
    const sha1 = { algorithm: 'sha1', encoding: 'hex', prefix: 'sha1=' } as const;
    const plain = await make({ header: 'x-hub-signature', ...sha1, signed: '{body}' });
    const body = JSON.stringify(deal(9));
    const signature = hmacOf(secret, body, { algorithm: 'sha1' });
    const ofPlain = (value: string) => sendRaw(service, plain.path, body, { 'x-hub-signature': value });
    expect((await ofPlain(`sha1=${signature}`)).body.entityData.status).to.equal('created');
    // It has nothing that tells a replay: its id does that.
    expect((await ofPlain(`sha1=${signature}`)).body.entityData.status).to.equal('unchanged');
    expect((await ofPlain(signature)).status).to.equal(401);
    expect((await ofPlain(`sha1=${hmacOf(secret, body)}`)).status).to.equal(401);

    const withTime = { timestampHeader: 'x-time', signed: 'v0:{timestamp}:{body}' };
    const timed = await make({ header: 'x-signature', encoding: 'base64', ...withTime });
    const ofTimed = (time: string, signedTime = time) => {
      const value = hmacOf(secret, `v0:${signedTime}:${body}`, { encoding: 'base64' });
      return sendRaw(service, timed.path, body, { 'x-signature': value, 'x-time': time });
    };
    for (const time of [String(Math.floor(Date.now() / 1_000)), String(Date.now()), new Date().toISOString()])
      expect((await ofTimed(time)).status, time).to.equal(200);
    const old = new Date(Date.now() - 6 * MINUTE_MS).toISOString();
    expect((await ofTimed(old)).status).to.equal(401);
    expect((await ofTimed(new Date().toISOString(), old)).status).to.equal(401);
    expect((await ofTimed('')).status).to.equal(401);
  });

  it('of one host tells nothing of another, whose record of the same id stays its own', async () => {
    const acme = await makeSource(service, { hostId: service.acme.hostId });
    const ours = (await sendSigned(service, source, deal(10))).body.entityData;
    const theirs = (await sendSigned(service, acme, deal(10))).body.entityData;
    expect([ours.status, theirs.status]).to.deep.equal(['created', 'created']);
    expect(ours.id).to.not.equal(theirs.id);
  });
});
