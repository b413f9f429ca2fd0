import { expect } from 'chai';
import { connect } from '../../db/connection.ts';
import { makeToken } from '../../db/hosts/token-text.ts';
import {
  findToken,
  insertToken,
  listTokens,
  type NewToken,
  revokeToken,
  type TokenHost,
} from '../../db/hosts/tokens.ts';
import { type BuiltHost, buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { watchStatements } from '../support/statements.ts';

describe('tokens', () => {
  const database = openOnce(makeDatabase);
  const { db } = database;
  const a = openOnce(() => buildHost(db));
  const b = openOnce(() => buildHost(db));

  const insert = async (changes: Partial<NewToken> = {}) => {
    const { hash } = makeToken();
    const token = { name: 'test', hash, scopes: ['reason'], expiresAt: null, hostIds: [a.hostId] } as const;
    return { hash, id: await insertToken(db, { ...token, ...changes }) };
  };
  const refused = (changes: object) => insert(changes).catch(error => error.code ?? error.message);
  const usedAt = async (id: string) => (await db('tokens').where({ id }).first('last_used_at')).last_used_at;
  it('are found by their hash, with the hosts that their kind gives them', async () => {
    const one = await insert({ scopes: ['reason', 'search:write'] });
    const two = await insert({ hostIds: [b.hostId, a.hostId] });
    const all = await insert({ hostIds: 'all' });
    const bySlug = [a, b].toSorted((left, right) => (left.slug < right.slug ? -1 : 1)).map(listed);
    const found = await Promise.all([one, two, all].map(token => findToken(db, token.hash)));
    expect(found.map(token => token?.kind)).to.eql(['host', 'domain', 'operator']);
    expect(found.map(token => token?.hosts)).to.eql([[listed(a)], bySlug, bySlug]);
    const expected = {
      id: one.id,
      name: 'test',
      scopes: ['reason', 'search:write'],
      expired: false,
      revoked: false,
    };
    expect(found[0]).to.deep.include(expected);
    expect(await findToken(db, makeToken().hash)).to.equal(undefined);
  });

  it('are found in one statement', async () => {
    const { hash } = await insert();
    expect(await watchStatements(db, () => findToken(db, hash))).to.have.length(1);
  });

  it('say that they are expired or revoked', async () => {
    const old = await insert({ expiresAt: new Date(Date.now() - 1_000) });
    const young = await insert({ expiresAt: new Date(Date.now() + 60_000) });
    expect((await findToken(db, old.hash))?.expired).to.equal(true);
    expect((await findToken(db, young.hash))?.expired).to.equal(false);
    expect(await revokeToken(db, young.id)).to.equal(true);
    const revoked = await findToken(db, young.hash);
    expect(revoked?.revoked).to.equal(true);
    await revokeToken(db, young.id);
    expect((await findToken(db, young.hash))?.revokedAt).to.eql(revoked?.revokedAt);
    expect(await revokeToken(db, crypto.randomUUID())).to.equal(false);
  });

  it('note that they were used at most once a minute', async () => {
    const { hash, id } = await insert();
    expect(await usedAt(id)).to.equal(null);
    await findToken(db, hash);
    const first = await usedAt(id);
    await findToken(db, hash);
    expect(await usedAt(id)).to.eql(first);
    await db('tokens')
      .where({ id })
      .update({ last_used_at: new Date(Date.now() - 61_000) });
    await findToken(db, hash);
    expect(await usedAt(id)).to.be.greaterThanOrEqual(first);
  });

  it('are found without waiting while another request notes the use', async () => {
    const { hash } = await insert();
    const other = connect(database.url);
    await other.transaction(async tx => {
      await tx('tokens').where({ hash }).forUpdate().select('id');
      expect((await findToken(db, hash))?.name).to.equal('test');
    });
    await other.destroy();
  });

  it('are listed from the oldest on, without their hash', async () => {
    const { id } = await insert({ name: 'last' });
    const tokens = await listTokens(db);
    expect(tokens.at(-1)).to.include({ id, name: 'last', lastUsedAt: null });
    expect(tokens.at(-1)).to.not.have.property('hash');
  });

  it('need a host, and scopes that exist', async () => {
    expect(await refused({ hostIds: [] })).to.equal('A token needs a host.');
    expect(await refused({ scopes: ['everything'] })).to.equal('23514');
    expect(await refused({ hostIds: [crypto.randomUUID()] })).to.equal('23503');
  });
});

function listed({ hostId, slug }: BuiltHost): TokenHost {
  return {
    host_id: hostId,
    host_slug: slug,
    host_name: `Host ${slug}`,
    share: 1,
    disabled: false,
    time_zone: 'America/Sao_Paulo',
  };
}
