import { operation } from '../operation.ts';
import { freeObject, object, optional, text, uuid } from '../shape.ts';
import { CONVERSATION_ID, HOST_ID } from './example-ids.ts';
import { PUBLIC } from './paths.ts';

export const createConversation = operation({
  summary: 'Start a conversation',
  description: 'Gives the id under which questions are asked; it is unique and usable in every other call.',
  queue: 'catalog',
  method: 'POST',
  path: `${PUBLIC}/createConversationId`,
  body: object({
    hostId: uuid(),
    hostSlug: text(),
    globalData: optional(freeObject()),
    choosenHostId: optional(uuid()),
  }),
  data: object({ conversationId: uuid() }),
  example: {
    body: { hostId: HOST_ID, hostSlug: 'demo', globalData: { platform: 'whatsapp' } },
    data: { conversationId: CONVERSATION_ID },
  },
  status: 200,
  refusals: [],
  scope: 'reason',
  hosts: 'one',
});
