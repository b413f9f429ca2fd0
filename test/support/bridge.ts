import { createHmac } from 'node:crypto';
import getPort from 'get-port';
import { parseAllowed } from '../../platform/allowed-address.ts';
import { eventually } from './eventually.ts';
import { startProgram } from './guide.ts';
import { openEach, openOnce } from './opened.ts';
import { answer, startReceiver } from './receiver.ts';
import { startService } from './service.ts';
import { makeFolder } from './temp-folder.ts';

const bruno = [{ profile: { name: 'Bruno' }, wa_id: '5511912345678' }];

/** What Evolution API tells of a message. */
function fromEvolution(id: string, message: string | object, key: object = {}) {
  return {
    event: 'messages.upsert',
    instance: 'horizonte',
    data: {
      key: { remoteJid: '5511987654321@s.whatsapp.net', fromMe: false, id, ...key },
      pushName: 'Ana',
      message: typeof message === 'string' ? { conversation: message } : message,
    },
  };
}

/** What Meta tells of its account. */
function ofAccount(told: object) {
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '551130000000', phone_number_id: '1066' },
    ...told,
  };
  const entry = [{ id: '1', changes: [{ field: 'messages', value }] }];
  return { object: 'whatsapp_business_account', entry };
}

const fromCloud = (id: string, message: object, contacts: object[] = bruno) =>
  ofAccount({ contacts, messages: [{ from: '5511912345678', id, ...message }] });

/** The bridge of the guide, anew for each test, between a service with its webhook and a provider. */
export function openBridge() {
  const provider = openOnce(startReceiver);
  const folder = openOnce(makeFolder);
  const opened = openOnce(
    async () => {
      const port = String(await getPort());
      const allowed = parseAllowed(`127.0.0.1:${port}`);
      const service = await startService({
        egressAllow: allowed ? [allowed] : [],
        transcriptionModel: 'whisper-1',
      });
      const events = ['message.sent', 'conversation.idle', 'conversation.window_closing'];
      const wanted = { name: 'bridge', url: `http://127.0.0.1:${port}/parley`, events };
      const webhook: { webhookId: string; secret: string } = await service.demo.make('saveWebhook', wanted);
      return { service, webhook, port: { text: port } };
    },
    ({ service }) => service.close(),
  );
  const { service, webhook, port } = opened;
  // A bridge that ends before it has answered an event would get it again in the next test: closed last, this leaves none.
  openEach(
    () => ({}),
    async () => {
      await service.db('deliveries').delete();
      await service.db('webhook_lanes').delete();
    },
  );
  const { said } = openEach(() => {
    provider.script(answer(204));
    provider.received.length = 0;
    return startProgram('docs/guides/whatsapp-bridge.md', folder.path, {
      PARLEY_URL: service.baseURL,
      PARLEY_TOKEN: service.demo.token,
      HOST_SLUG: service.demo.slug,
      HOOK_SECRET: 'hook',
      APP_SECRET: 'app',
      EVOLUTION_URL: provider.url,
      EVOLUTION_KEY: 'key',
      GRAPH_URL: provider.url,
      GRAPH_TOKEN: 'graph',
      WEBHOOK_SECRET: webhook.secret,
      CLOSING: 'Ainda posso ajudar?',
      PORT: port.text,
    });
  });
  afterEach(() => service.model.reset());

  const send = async (path: string, body: object, headers: Record<string, string> = {}) =>
    (
      await fetch(`http://127.0.0.1:${port.text}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers,
      })
    ).status;
  const sendAsMeta = (body: object) => {
    const digest = createHmac('sha256', 'app').update(JSON.stringify(body)).digest('hex');
    return send('/cloud', body, { 'x-hub-signature-256': `sha256=${digest}` });
  };
  /** What the provider got, once it is as much. */
  const sentBy = (count: number, isCounted = (_path: string) => true) =>
    eventually(
      async () =>
        provider.received
          .filter(({ path }) => isCounted(path))
          .map(({ path, body }) => ({ path, body: body as object })),
      sent => sent.length >= count,
    );
  /** The messages of it, without the files that the bridge fetched. */
  const messagesBy = (count: number) => sentBy(count, path => /^\/message\/|\/messages$/.test(path));
  return {
    service,
    provider,
    folder,
    webhook,
    said,
    get url() {
      return `http://127.0.0.1:${port.text}`;
    },
    fromEvolution,
    fromCloud,
    ofAccount,
    send,
    sendAsMeta,
    sentBy,
    messagesBy,
  };
}
