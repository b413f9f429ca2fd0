import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { purgeRehearsals } from '../../db/assistants/evaluation-cases.ts';
import { connect } from '../../db/connection.ts';
import { readHistory } from '../../db/conversations/messages.ts';
import { eraseTextBatch } from '../../db/conversations/retention.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { repeat } from '../../platform/repeat.ts';
import { eraseExpiredText } from '../../workers/background.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openEach, openOnce } from '../support/opened.ts';

const OLD = '31 days';
const YOUNG = '29 days';
/** So many conversations were emptied before. */
const EMPTIED = 3_000;

const digest = Buffer.from('ab', 'hex');
/** All that a conversation tells of a person. */
const TOLD = {
  dialogue_summary: 'Paga boletos.',
  user_name: 'Rui',
  wpp_id: '5511988776655',
  global_data: { cpf: '11144477735' },
  user_data: { email: 'rui@uni.example' },
  masked_values: [{ kind: 'EMAIL', key: 'rui@uni.example', text: 'rui@uni.example' }],
  chat_history: digest,
};
const KINDS =
  'messages notes conversations turns intakeRecords auditEntries events feedback gapQuestions'.split(' ');
const [NONE, ONCE] = [0, 1].map(count => Object.fromEntries(KINDS.map(kind => [kind, count])));

describe('text that is older than it may be', () => {
  const database = openEach(makeDatabase);
  const { db } = database;
  const host = openEach(() => buildHost(db));

  /** A conversation with a turn and a record of that age. */
  const said = async (ago: string): Promise<string> => {
    const at = db.raw(`now() - interval '${ago}'`);
    const [row] = await db('conversations')
      .insert({
        host_id: host.hostId,
        last_message_at: at,
        ...TOLD,
        masked_values: JSON.stringify(TOLD.masked_values),
      })
      .returning<{ id: string }[]>('id');
    const id = row?.id ?? '';
    const turn = { host_id: host.hostId, conversation_id: id, arrived_at: at, deadline: at, lease_until: at };
    const ended = { state: 'answered', finished_at: at, question: 'Oi?', receipt: '{"prompt": "Oi?"}' };
    const tokens = '[{"model": "m", "tokens": 7}]';
    const digests = { chat_asked: digest, chat_answered: digest };
    await db('turns').insert({ ...turn, ...ended, ...digests, id: `k${ago}`, tokens });
    const message = { host_id: host.hostId, conversation_id: id, turn_id: `k${ago}`, created_at: at };
    const asked = { ...message, author: 'user', content: 'Oi?', name: 'Rui' };
    const [question] = await db('messages').insert(asked).returning<{ seq: string }[]>('seq');
    const gap = { host_id: host.hostId, conversation_id: id, message_seq: question?.seq, asked_at: at };
    await db('gap_questions').insert({ ...gap, reason: 'not_found', words: ['boleto'] });
    const note = {
      host_id: host.hostId,
      conversation_id: id,
      seq: db.raw('next_message_seq()'),
      created_at: at,
    };
    await db('notes').insert({ ...note, content: 'Paga tarde.' });
    const checked = { payments: ['000201'], sources: '[]', unsupported: '[{"text": "R$ 95"}]' };
    await db('messages').insert({ ...message, author: 'assistant', content: 'Olá!', ...checked });
    const judged = {
      turn_id: `k${ago}`,
      author: 'user',
      score: -1,
      text: 'Não.',
      message_seq: 1,
      sources: '[]',
    };
    await db('feedback').insert({ host_id: host.hostId, conversation_id: id, ...judged, created_at: at });
    const record = { host_id: host.hostId, kind: 'deals', job_id: ago, arrived_at: at, created_at: at };
    await db('intake_records').insert({ ...record, state: 'done', body: '{}' });
    const change = { actor_kind: 'database', actor_name: 'x', operation: ago, table_name: 'x', row_id: 'x' };
    await db('audit_entries').insert({ ...change, host_id: host.hostId, created_at: at });
    const event = { host_id: host.hostId, id: randomUUID(), created_at: at };
    await db('events').insert({ ...event, type: 'conversation.closed', data: '{}' });
    await db('deliveries').insert({ host_id: host.hostId, event_id: event.id, webhook_id: event.id });
    return id;
  };
  const reported = () =>
    db('report_deltas')
      .select('kind')
      .sum('amount as total')
      .groupBy('kind')
      .orderBy('kind')
      .then(rows => rows as unknown[]);

  it('goes, and its author, time and tokens stay; what is younger stays whole', async () => {
    const [old, young] = [await said(OLD), await said(YOUNG)];
    expect(await eraseTextBatch(db, 30)).to.deep.equal({ ...ONCE, messages: 2 });
    const contents = async (conversation_id: string) =>
      (await db('messages').where({ conversation_id }).orderBy('seq')).map(
        ({ author, content, name, ...row }) => [
          author,
          content,
          name,
          [row.payments, row.sources, row.unsupported].filter(Boolean).length,
        ],
      );
    expect(await contents(old)).to.deep.equal([
      ['user', '', null, 0],
      ['assistant', '', null, 0],
    ]);
    expect(await contents(young)).to.deep.equal([
      ['user', 'Oi?', 'Rui', 0],
      ['assistant', 'Olá!', null, 3],
    ]);
    const turns = await db('turns')
      .whereLike('id', 'k% days')
      .orderBy('arrived_at')
      .select('question', 'receipt', 'tokens', 'chat_asked', 'chat_answered');
    const tokens = [{ model: 'm', tokens: 7 }];
    expect(turns).to.deep.equal([
      { question: null, receipt: null, tokens, chat_asked: null, chat_answered: null },
      { question: 'Oi?', receipt: { prompt: 'Oi?' }, tokens, chat_asked: digest, chat_answered: digest },
    ]);
    const told = await db('conversations')
      .whereIn('id', [old, young])
      .orderBy('last_message_at')
      .select(Object.keys(TOLD));
    const nothing = { dialogue_summary: '', user_name: '', wpp_id: '', global_data: {}, user_data: {} };
    expect(told).to.deep.equal([{ ...nothing, masked_values: [], chat_history: null }, TOLD]);
    expect(await db('intake_records').whereLike('job_id', '% days').pluck('job_id')).to.deep.equal([YOUNG]);
    const closings = db('events').where({ type: 'conversation.closed' }).select('id');
    expect(await db('deliveries').whereIn('event_id', closings).count()).to.deep.equal([{ count: '1' }]);
    expect(await db('audit_entries').whereLike('operation', '% days').pluck('operation')).to.deep.equal([
      YOUNG,
    ]);
    expect(await eraseTextBatch(db, 30)).to.deep.equal(NONE);
  });

  it('goes where the digest of a dialogue is all that is left of it', async () => {
    const last_message_at = db.raw(`now() - interval '${OLD}'`);
    const only = { host_id: host.hostId, last_message_at, chat_history: digest };
    const [row] = await db('conversations').insert(only).returning<{ id: string }[]>('id');
    expect(await eraseTextBatch(db, 30)).to.include({ conversations: 1 });
    expect(await db('conversations').where({ id: row?.id }).pluck('chat_history')).to.deep.equal([null]);
  });

  it('stays of a conversation in which somebody has spoken since, but for the old messages', async () => {
    const id = await said(OLD);
    await db('conversations')
      .where({ id })
      .update({ last_message_at: db.raw(`now() - interval '${YOUNG}'`) });
    expect((await eraseTextBatch(db, 30))?.messages).to.equal(2);
    expect(await db('conversations').where({ id }).select(Object.keys(TOLD))).to.deep.equal([TOLD]);
  });

  it('stays of a record that nothing was made of yet, however old it is', async () => {
    await said(OLD);
    await db('intake_records').where({ job_id: OLD }).update({ state: 'received' });
    expect((await eraseTextBatch(db, 30))?.intakeRecords).to.equal(0);
    expect(await db('intake_records').where({ job_id: OLD }).pluck('state')).to.deep.equal(['received']);
  });

  it('goes from a turn that a dead worker left unfinished, too', async () => {
    const id = await said(YOUNG);
    const unfinished = (key: string, ago: string) => {
      const at = db.raw(`now() - interval '${ago}'`);
      const times = { arrived_at: at, deadline: at, lease_until: at };
      const turn = { host_id: host.hostId, conversation_id: id, state: 'running', question: 'Oi?' };
      return db('turns').insert({ ...turn, ...times, id: key });
    };
    await unfinished('kold', OLD);
    await unfinished('kyoung', YOUNG);
    expect(await eraseTextBatch(db, 30)).to.deep.equal({ ...NONE, turns: 1 });
    const turns = await db('turns').whereIn('id', ['kold', 'kyoung']).orderBy('id').select('id', 'question');
    expect(turns).to.deep.equal([
      { id: 'kold', question: null },
      { id: 'kyoung', question: 'Oi?' },
    ]);
  });

  it('changes no count when it goes, even when all is counted anew, and no model is told of it', async () => {
    const id = await said(OLD);
    const before = await reported();
    await eraseTextBatch(db, 30);
    expect(await reported()).to.deep.equal(before);
    await db.raw('select recount_report_days(?)', [host.hostId]);
    const days = await db('report_days').select('kind').sum('total as total').groupBy('kind').orderBy('kind');
    expect(days).to.deep.equal(before);
    const read = { messages: 10, bytes: 1_000 };
    expect(await host.inHost(scope => readHistory(scope, id, read))).to.deep.equal([]);
  });

  it('goes batch after batch, one process at a time', async () => {
    const id = await said(OLD);
    await db.raw(
      `insert into messages (host_id, conversation_id, author, content, created_at)
       select ?, ?, 'user', 'Oi', now() - interval '40 days' from generate_series(1, 2500)`,
      [host.hostId, id],
    );
    const ending = new AbortController();
    const { signal } = ending;
    const erase = () => eraseExpiredText(db, 30, signal);
    const running = [1, 2].map(() => repeat(erase, { everyMs: 20, signal, onError: expect.fail }));
    const left = () => db('messages').where({ conversation_id: id }).whereNot({ content: '' });
    await eventually(left, rows => rows.length === 0);
    ending.abort();
    await Promise.all(running);
  });

  it('is found without the conversations that have none any more', async () => {
    const id = await said(OLD);
    await db.raw(
      `insert into conversations (host_id, last_message_at)
       select ?, now() - interval '40 days' from generate_series(1, ?::integer)`,
      [host.hostId, EMPTIED],
    );
    await db.raw('analyze');
    const erasing = connect(database.url, { max: 1 });
    const rowsRead = async () => {
      await erasing.raw('select pg_stat_force_next_flush()');
      const [row] = await rowsOf<{ read: number }>(db)`
        select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_user_tables where relname = 'conversations'`;
      return row?.read ?? 0;
    };
    const before = await rowsRead();
    const erased = await eraseTextBatch(erasing, 30);
    const read = (await rowsRead()) - before;
    await erasing.destroy();
    expect(erased?.conversations).to.equal(1);
    expect(read).to.be.within(1, EMPTIED / 10);
    expect(await db('conversations').where({ id }).pluck('user_name')).to.deep.equal(['']);
  });

  it('stays while another process is at it', async () => {
    await said(OLD);
    await db.transaction(async tx => {
      await tx.raw(`select pg_advisory_xact_lock(hashtext('parley retention'))`);
      expect(await eraseTextBatch(db, 30)).to.equal(undefined);
    });
    expect((await eraseTextBatch(db, 30))?.messages).to.equal(2);
  });
});

describe('a rehearsal', () => {
  const { db } = openOnce(makeDatabase);

  it('is deleted a day after its last message, also one that staff tried to attend, and no other conversation', async () => {
    const { hostId: host_id } = await buildHost(db);
    const before = await db('conversations').pluck('id');
    const said = async (platform: string, hours: number, messages: readonly [string, boolean][]) => {
      const at = db.raw(`now() - ? * interval '1 hour'`, [hours]);
      const row = { host_id, platform, created_at: db.raw(`now() - interval '9 days'`), last_message_at: at };
      const [{ id }] = await db('conversations').insert(row).returning('id');
      for (const [author, rehearsal] of messages)
        await db('messages').insert({ host_id, conversation_id: id, author, content: 'Oi', rehearsal });
      return id;
    };
    const question = ['user', true] as const;
    await said('ensaio', 25, [[...question], ['assistant', true]]);
    await said('ensaio', 25, [[...question], ['human', false]]);
    await said('ensaio', 25, []);
    const kept = [
      await said('ensaio', 23, [[...question]]),
      await said('ensaio', 25, [[...question], ['user', false]]),
      await said('api', 25, [[...question]]),
    ];
    expect(await purgeRehearsals(db)).to.equal(3);
    expect(await db('conversations').pluck('id')).to.have.members([...before, ...kept]);
  });
});
