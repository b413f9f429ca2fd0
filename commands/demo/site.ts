import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listAvatars } from '../../db/assistants/avatars.ts';
import { listSiteChats, upsertSiteChat } from '../../db/assistants/site-chats.ts';
import type { Db } from '../../db/connection.ts';
import { setActor } from '../../db/hosts/actor.ts';
import { siteChatDefaults } from '../../queues/contract/operations/site-chats.ts';
import { commandActorOf } from '../with-database.ts';

/*
 * The site of the imaginary university, with its chat: a page of another origin with a strict policy, as a real one is.
 */

const TITLE = 'Universidade Horizonte';
const GREETING = 'Olá! Pergunte sobre horários, mensalidades e inscrições.';
const MACHINE = '127.0.0.1';

interface Site {
  readonly db: Db;
  readonly hostId: string;
  readonly base: string;
}

/** Serves it on a free port of this machine until the signal; returns its address. Undefined: the host has no assistant. */
export async function openDemoSite(
  { db, hostId, base }: Site,
  stop: AbortSignal,
): Promise<string | undefined> {
  let page = '';
  const server = createServer((_request, response) => {
    const policy = `default-src 'none'; script-src ${base}; connect-src ${base}; base-uri 'none'; form-action 'none'`;
    response.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
    });
    response.end(page);
  });
  // It neither keeps this process running nor its end waiting.
  server.listen(0, MACHINE).unref();
  await once(server, 'listening');
  stop.addEventListener('abort', () => server.close(), { once: true });
  const address = `http://${MACHINE}:${(server.address() as AddressInfo).port}`;
  const publicKey = await saveChat(db, hostId, address);
  if (publicKey === undefined) {
    server.close();
    return undefined;
  }
  page = composePage(base, publicKey);
  return address;
}

/** The chat of the last start gets the origin of this one. */
async function saveChat(db: Db, hostId: string, origin: string): Promise<string | undefined> {
  return db.transaction(async tx => {
    const scope = { tx, hostId };
    const known = (await listSiteChats(scope)).find(({ title }) => title === TITLE);
    if (known?.origins.includes(origin)) return known.publicKey;
    const [avatar] = await listAvatars(scope);
    if (!avatar) return undefined;
    await setActor(tx, commandActorOf('start'));
    const ids = known ?? { chatId: randomUUID(), publicKey: `chat_${randomBytes(16).toString('base64url')}` };
    const chat = {
      ...siteChatDefaults,
      greeting: GREETING,
      ...known,
      avatarId: avatar.avatar_id,
      title: TITLE,
    };
    return (await upsertSiteChat(scope, ids, { ...chat, origins: [origin] }))?.publicKey;
  });
}

function composePage(base: string, publicKey: string): string {
  return `<!doctype html>
<html lang="pt-BR">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${TITLE}</title></head>
<body>
<main>
<h1>${TITLE}</h1>
<p>Esta universidade não existe. A página mostra o chat do Parley em um site, com uma política estrita: o botão fica embaixo, à direita.</p>
<h2>Perguntas para começar</h2>
<ul><li>Qual é o horário da secretaria?</li><li>Como peço a segunda via do boleto?</li><li>Quero falar com uma pessoa.</li></ul>
</main>
<script src="${base}/site-chat/chat.js" data-key="${publicKey}" async></script>
</body>
</html>
`;
}
