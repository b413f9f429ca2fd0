import { randomBytes, randomUUID } from 'node:crypto';
import {
  deleteSiteChat,
  findSiteChatForUpdate,
  listSiteChats as listAll,
  upsertSiteChat,
} from '../../db/assistants/site-chats.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import { fieldError, missingErrorsOf } from '../../platform/field-error.ts';
import { failure } from '../../queues/contract/failure.ts';
import { siteChatDefaults } from '../../queues/contract/operations/site-chats.ts';
import type { Handler } from '../runtime/job.ts';

export const listSiteChats: Handler<'listSiteChats'> = ({ read }) =>
  read(async scope => ({ code: 200, data: await listAll(scope) }));

export const saveSiteChat: Handler<'saveSiteChat'> = ({ body, commit }) =>
  commit(async scope => {
    const { chatId, deleted, hostId: _hostId, choosenHostId: _chosen, ...sent } = body;
    const earlier = chatId === undefined ? undefined : await findSiteChatForUpdate(scope, chatId);
    if (chatId !== undefined && !earlier) return failure('site-chat-not-found');
    if (deleted && earlier) {
      await deleteSiteChat(scope, earlier.chatId);
      return { code: 200, data: { ...earlier, deleted: true } };
    }
    const { avatarId, origins: written, title, ...settings } = { ...siteChatDefaults, ...earlier, ...sent };
    if (avatarId === undefined || written === undefined || title === undefined)
      return failure('body-invalid', { fields: missingErrorsOf({ avatarId, origins: written, title }) });
    const origins = written.map(originOf);
    const fields = origins.flatMap((origin, at) =>
      origin === undefined ? [fieldError(`origins[${at}]`, 'url', NO_ORIGIN)] : [],
    );
    if (fields.length > 0) return failure('body-invalid', { fields });
    const ids = earlier ?? {
      chatId: randomUUID(),
      publicKey: `chat_${randomBytes(16).toString('base64url')}`,
    };
    const known = [...new Set(origins.filter(origin => origin !== undefined))];
    const chat = await upsertSiteChat(scope, ids, { ...settings, avatarId, origins: known, title });
    if (!chat) return failure('avatar-not-found');
    if (!earlier && !(await isWithinLimits(scope, 'site_chats'))) return failure('host-full');
    return { code: 200, data: chat };
  });

const NO_ORIGIN = 'must be the origin of a site, such as https://www.exemplo.edu.br, without a path';

/** The origin as browsers send it; undefined if the text is none, or has more. */
function originOf(text: string): string | undefined {
  if (!/^https?:\/\/[^\s/?#@*]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}
