import { expect } from 'chai';
import { type Conversation, groupConversations } from '../../console/pages/inbox/conversation.ts';

describe('those who wait for a person', () => {
  const waiting = (id: string, help_asked_at: string | null, last_message_at: string) =>
    ({
      id,
      help_asked_at,
      last_message_at,
      ask_human_help: true,
      assigned_to: null,
      closed: false,
      archived: false,
      platform: 'whatsapp',
    }) as unknown as Conversation;

  const any = { platform: '', attendant: '', team: '', label: '' } as const;
  const open = { ...any, shown: 'open', isByWait: false } as const;

  it('stand in the order in which they asked, whoever has written since', () => {
    const all = [
      waiting('second', '2026-03-02T14:05:00.000Z', '2026-03-02T14:05:00.000Z'),
      waiting('first', '2026-03-02T14:00:00.000Z', '2026-03-02T14:10:00.000Z'),
      waiting('third', null, '2026-03-02T14:07:00.000Z'),
    ];
    const [group] = groupConversations(all, { filter: open, person: undefined });
    expect(group?.conversations.map(({ id }) => id)).to.deep.equal(['first', 'second', 'third']);
  });

  it('without having been asked for, because their question failed, stand in a group of their own', () => {
    const at = '2026-03-02T14:05:00.000Z';
    const failed = { ...waiting('failed', null, at), ask_human_help: false, unanswered: true };
    const answered = { ...failed, id: 'answered', unanswered: false };
    const groups = groupConversations([answered, failed], { filter: open, person: undefined });
    expect(groups.map(({ title, conversations }) => [title, conversations[0]?.id])).to.deep.equal([
      ['Sem resposta', 'failed'],
      ['Com o assistente', 'answered'],
    ]);
  });
});
