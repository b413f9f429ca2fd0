import { expect } from 'chai';
import { openService } from '../support/service.ts';

describe('a turn while staff attend', () => {
  const service = openService();
  const { db, demo } = service;
  const attended = async () => {
    const conversationId = await service.newConversation();
    await db('conversations').where({ id: conversationId }).update({ attended: true, ask_human_help: true });
    return conversationId;
  };
  const storedIn = async (conversationId: string) => [
    await db('turns').where({ host_id: demo.hostId, conversation_id: conversationId }).pluck('state'),
    await db('messages').where({ host_id: demo.hostId, conversation_id: conversationId }).pluck('content'),
  ];

  it('stores its question and its end in one transaction', async () => {
    const conversationId = await attended();
    expect((await service.ask('Oi?', { conversationId })).status).to.equal(200);
    expect(await storedIn(conversationId)).to.deep.equal([['answered'], ['Oi?']]);
    const [{ written }] = await db('turns')
      .select(db.raw('(turns.xmin = messages.xmin) as written'))
      .join('messages', 'messages.turn_id', 'turns.id')
      .where('turns.conversation_id', conversationId);
    expect(written).to.equal(true);
  });

  it('is claimed alone where it cannot end with its claim, and keeps its question once', async () => {
    const conversationId = await attended();
    await db.raw(`create sequence ends;
      create function refuse_first_end() returns trigger language plpgsql security definer as $$
      begin
        if nextval('ends') = 1 then raise 'refused'; end if;
        return null;
      end $$;
      create constraint trigger refused_once after update on turns deferrable initially deferred for each row
        when (new.state = 'answered') execute function refuse_first_end()`);
    try {
      expect((await service.ask('Oi?', { conversationId })).status).to.equal(200);
      const [{ last_value: ends }] = await db('ends').select('last_value');
      expect([Number(ends), ...(await storedIn(conversationId))]).to.deep.equal([2, ['answered'], ['Oi?']]);
    } finally {
      await db.raw('drop trigger refused_once on turns; drop function refuse_first_end; drop sequence ends');
    }
  });
});
