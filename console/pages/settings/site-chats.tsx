import { MessageCircle } from 'lucide';
import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { copyText } from '../../clipboard.ts';
import { Drawer } from '../../components/drawer.tsx';
import { EnabledBadge, type FormOfItem, NounList, type Row } from '../../components/noun-list.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { EmptyState } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { WhatsappText } from '../../components/whatsapp-text.tsx';
import { call } from '../../service.ts';
import type { Avatar, SessionContext } from '../../shell/session.ts';
import { useLoad } from '../../use-load.ts';

type Chat = DataOf<'listSiteChats'>[number];

/** The chats on the sites of the institution. */
export function SiteChats(props: { readonly hostId: string; readonly context: SessionContext }) {
  const { hostId } = props;
  const { avatars } = props.context;
  const loaded = useLoad(() => call('listSiteChats', { hostId }), [hostId]);
  const [shown, show] = useState<Chat>();
  const rowOf = (chat: Chat): Row => {
    const { chatId, title, enabled, avatarId, origins } = chat;
    const save = (change: object) => call('saveSiteChat', { hostId, chatId, ...change });
    return {
      id: chatId,
      icon: MessageCircle,
      title,
      detail: (
        <>
          {avatars.find(({ avatar_id }) => avatar_id === avatarId)?.avatar_name}: {origins.join(', ')}
        </>
      ),
      aside: <EnabledBadge enabled={enabled} />,
      button: { text: 'Ver e colocar no site', run: () => show(chat) },
      menu: [
        { text: enabled ? 'Pausar' : 'Retomar', run: () => save({ enabled: !enabled }) },
        {
          text: 'Excluir chat',
          isDangerous: true,
          question: deletionOf(title),
          run: () => save({ deleted: true }),
          done: 'Chat excluído',
        },
      ],
    };
  };
  if (avatars.length === 0)
    return <EmptyState title="Ainda não há um assistente" text="Em um chat responde um assistente." />;
  return (
    <NounList
      loaded={loaded}
      label="Chats no site"
      begin={{ text: 'Novo chat' }}
      empty={noChats}
      rowOf={rowOf}
      form={form => <ChatForm hostId={hostId} avatars={avatars} {...form} />}
    >
      {shown && <Placing chat={shown} onClose={() => show(undefined)} />}
    </NounList>
  );
}

/** How it looks, and the tag for the pages of the site. */
function Placing({ chat, onClose }: { readonly chat: Chat; readonly onClose: () => void }) {
  const tag = `<script src="${location.origin}/site-chat/chat.js" data-key="${chat.publicKey}" async></script>`;
  const copy = async () =>
    showToast((await copyText(tag)) ? 'Copiado' : 'Não foi possível copiar: selecione o texto');
  return (
    <Drawer title={chat.title} onClose={onClose}>
      <Preview chat={chat} />
      <p>Coloque isto nas páginas do site, antes de fechar o corpo:</p>
      <code class="card">{tag}</code>
      <div class="buttons">
        <button type="button" onClick={() => void copy()}>
          Copiar
        </button>
      </div>
      <p class="small">
        Onde o site tem uma Content-Security-Policy, ponha {location.origin} em script-src e em connect-src.
      </p>
    </Drawer>
  );
}

/** As the chat begins. The picture has the colour, which a policy of this page allows in no style. */
function Preview({ chat: { title, greeting, colour } }: { readonly chat: Chat }) {
  return (
    <figure class="card">
      <svg role="img" aria-label={`Cor ${colour}`} width="100%" height="8" preserveAspectRatio="none">
        <rect width="100%" height="8" fill={colour} />
      </svg>
      <figcaption>
        <strong>{title}</strong>
      </figcaption>
      {greeting && (
        <p>
          <WhatsappText text={greeting} />
        </p>
      )}
    </figure>
  );
}

interface FormProps extends FormOfItem<Chat> {
  readonly hostId: string;
  readonly avatars: readonly Avatar[];
}

function ChatForm({ hostId, avatars, item: chat, onSaved, onClose }: FormProps) {
  return (
    <OperationForm
      of="saveSiteChat"
      begin={{
        title: chat?.title ?? 'Atendimento',
        avatarId: chat?.avatarId ?? avatars[0]?.avatar_id ?? '',
        'origins.text': chat?.origins.join('\n') ?? '',
        greeting: chat?.greeting ?? 'Olá! Como posso ajudar?',
        colour: chat?.colour ?? '#1a4fa3',
        showSources: chat?.showSources ?? true,
        visitorQuestionsPerHour: chat?.visitorQuestionsPerHour ?? 20,
        addressQuestionsPerHour: chat?.addressQuestionsPerHour ?? 60,
        questionsPerDay: chat?.questionsPerDay ?? 2_000,
      }}
      choices={{ avatarId: avatars.map(({ avatar_id, avatar_name }) => [avatar_id, avatar_name] as const) }}
      text={chat ? 'Salvar' : 'Criar chat'}
      save={async ({ 'origins.text': lines, ...fields }) => {
        const origins = lines.split(/\s+/).filter(Boolean);
        await call('saveSiteChat', { hostId, ...(chat && { chatId: chat.chatId }), ...fields, origins });
        onSaved();
      }}
      onCancel={onClose}
    />
  );
}

const noChats = {
  title: 'Nenhum chat no site ainda',
  text: 'Com ele os visitantes do site perguntam ao assistente, e a equipe pode responder.',
};

const deletionOf = (name: string) => ({
  title: `Excluir “${name}”?`,
  text: 'O chat some das páginas do site; as conversas ficam.',
  action: 'Excluir chat',
});
