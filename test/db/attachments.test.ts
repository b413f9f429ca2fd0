import { expect } from 'chai';
import { connect } from '../../db/connection.ts';
import {
  deleteAttachments,
  insertAttachments,
  purgeAttachments,
  readAttachment,
  storeTranscript,
} from '../../db/conversations/attachments.ts';
import { insertConversation } from '../../db/conversations/conversations.ts';
import { abandonTurn, claimTurn } from '../../db/conversations/turns.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('what is attached to a turn', () => {
  const database = openOnce(makeDatabase);
  const db = openOnce(() => connect(database.url, { max: 2 }));
  let hostId: string;
  let conversationId: string;
  let jobId: string;
  let id: string;
  before(async () => {
    hostId = (await buildHost(db)).hostId;
  });
  beforeEach(async () => {
    conversationId = await inHost(scope => insertConversation(scope));
    jobId = `spoken-${conversationId}`;
    const sent = [{ content: Buffer.from('uma gravação'), key: undefined }];
    const ids = await inHost(scope => insertAttachments(scope, conversationId, sent, undefined));
    id = ids?.[0] ?? '';
  });

  const inHost = <T>(work: (scope: HostScope) => Promise<T>) => withHost(db, hostId, work);
  const run = async (turnId: string, attempt: number) => {
    const times = { arrivedAt: 1, remainingMs: () => 60_000, leaseMs: 60_000 };
    const turn = { turnId, conversationId, question: undefined, isReading: true };
    const claimed = await inHost(scope => claimTurn(scope, { ...turn, ...times }));
    expect(claimed).to.include({ kind: 'claimed', attempt });
  };
  const forget = (keepsTranscripts = false) =>
    inHost(scope => deleteAttachments(scope, [id], { jobId, keepsTranscripts }));
  const kept = () => inHost(scope => readAttachment(scope, id));

  it('is there for the run that has taken the turn over when the earlier one ends', async () => {
    for (const turnId of [jobId, `${jobId}.2`]) {
      await run(turnId, 1);
      await run(turnId, 2);
      await forget();
      expect((await kept())?.content?.toString()).to.equal('uma gravação');
      await inHost(scope => abandonTurn(scope, { turnId, attempt: 2 }));
    }
    await forget();
    expect(await kept()).to.equal(undefined);
  });

  it('leaves its words where the turn may be tried again, and nothing where it has none', async () => {
    await inHost(scope => storeTranscript(scope, id, 'Que horas abre?'));
    await forget(true);
    expect(await kept()).to.deep.equal({ content: undefined, transcript: 'Que horas abre?' });
    await forget();
    expect(await kept()).to.equal(undefined);
  });

  it('has words of its own, which no other of its host gets', async () => {
    const sent = [{ content: Buffer.from('outra gravação'), key: undefined }];
    const [other = ''] =
      (await inHost(scope => insertAttachments(scope, conversationId, sent, undefined))) ?? [];
    await inHost(scope => storeTranscript(scope, id, 'Que horas abre?'));
    expect(await kept()).to.include({ transcript: 'Que horas abre?' });
    expect(await inHost(scope => readAttachment(scope, other))).to.include({ transcript: null });
  });

  it('is gone in one run once it is too old, however much turns have left behind', async () => {
    await rowsOf(db)`
      insert into turn_attachments (host_id, id, conversation_id, content, created_at)
      select ${hostId}, gen_random_uuid(), ${conversationId}, 'x', now() - interval '16 minutes'
      from generate_series(1, 250)`;
    expect(await purgeAttachments(db)).to.equal(250);
    expect(await kept()).not.to.equal(undefined);
  });
});
