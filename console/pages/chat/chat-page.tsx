import { RotateCcw } from 'lucide';
import { useState } from 'preact/hooks';
import { Field, SelectField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { Page } from '../../components/page.tsx';
import { QuestionForm } from '../../components/question-form.tsx';
import { EmptyState, ErrorNote } from '../../components/states.tsx';
import type { Host } from '../../service.ts';
import { linkTo, replaceRoute, route } from '../../shell/route.ts';
import type { Avatar, SessionContext } from '../../shell/session.ts';
import { ChatLog } from './chat-log.tsx';
import { readChosen } from './stored-chats.ts';
import { type OpenChat, useChat } from './use-chat.ts';

const ABOUT = 'Converse como uma pessoa conversaria. Não conta como atendimento.';

/** A conversation with an assistant: #testar/<sub_slug> */
export function ChatPage({ context }: { readonly context: SessionContext }) {
  const { host, avatars, scopes } = context;
  const [chosen] = route.value.parts;
  const last = host && readChosen(host.host_id);
  const avatar =
    avatars.find(each => each.sub_slug === chosen) ??
    avatars.find(each => each.sub_slug === last) ??
    avatars[0];
  if (!host || !avatar)
    return (
      <Page title="Testar" about={ABOUT}>
        <EmptyState
          title="Ainda não há um assistente"
          text="Crie primeiro um assistente; depois converse com ele aqui."
        >
          {scopes.includes('manage') && <a href={linkTo('assistentes')}>Criar um assistente</a>}
        </EmptyState>
      </Page>
    );
  return <ChatWith key={avatar.sub_slug} host={host} avatar={avatar} context={context} />;
}

function ChatWith(props: { readonly host: Host; readonly avatar: Avatar; readonly context: SessionContext }) {
  const { host, avatar, context } = props;
  const open = useChat(host, avatar.sub_slug);
  const [person, setPerson] = useState<Readonly<Record<string, string>>>({});
  const choose = (subSlug: string) => replaceRoute('testar', [subSlug]);
  return (
    <Page
      title="Testar"
      about={ABOUT}
      action={
        <>
          {context.avatars.length > 1 && (
            <AvatarChoice avatars={context.avatars} value={avatar.sub_slug} onChange={choose} />
          )}
          <button type="button" class="quiet with-icon" onClick={open.restart}>
            <Icon of={RotateCcw} size={16} /> Nova conversa
          </button>
        </>
      }
    >
      <div class="chat">
        <section class="card chat-main" aria-label={`Conversa com ${avatar.avatar_name}`}>
          {open.chat.awaitsPerson && <Handover open={open} />}
          <ChatLog open={open} name={avatar.avatar_name} context={context} />
          <QuestionForm
            label="Mensagem"
            placeholder="Escreva uma mensagem"
            action="Enviar"
            draft={`chat:${host.host_id}:${avatar.sub_slug}`}
            isBusy={open.isBusy}
            onAsk={question => open.ask(question, person)}
          />
        </section>
        <aside class="chat-side" aria-label="Sobre o teste">
          <Reads avatar={avatar} />
          <PersonFields onChange={setPerson} />
        </aside>
      </div>
    </Page>
  );
}

function AvatarChoice(props: {
  readonly avatars: readonly Avatar[];
  readonly value: string;
  readonly onChange: (subSlug: string) => void;
}) {
  const { avatars, value, onChange } = props;
  // The slug distinguishes assistants with the same name.
  const isOnly = ({ avatar_name: name }: Avatar) =>
    avatars.filter(each => each.avatar_name === name).length === 1;
  const choices = avatars.map(
    each =>
      [each.sub_slug, isOnly(each) ? each.avatar_name : `${each.avatar_name} (${each.sub_slug})`] as const,
  );
  return <SelectField label="Assistente" value={value} choices={choices} onChange={onChange} />;
}

/** Says that the person now waits for the team, and lets the reader act as the team. */
function Handover({ open }: { readonly open: OpenChat }) {
  const { conversationId } = open.chat;
  const { error, isBusy } = open.givingBack;
  return (
    <div class="handover" role="status">
      <span>Esta conversa espera por uma pessoa da equipe.</span>
      {conversationId && <a href={linkTo('atendimento', [conversationId])}>Ver em Atendimento</a>}
      <button type="button" class="slim" aria-busy={isBusy} onClick={open.giveBack}>
        Devolver ao assistente
      </button>
      {error !== undefined && <ErrorNote error={error} />}
    </div>
  );
}

function Reads({ avatar }: { readonly avatar: Avatar }) {
  const names = avatar.datasets.map(({ dataset_name: name }) => name);
  return (
    <section class="chat-reads">
      <h2>O que {avatar.avatar_name} lê</h2>
      {names.length > 0 ? (
        <ul>
          {names.map(name => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      ) : (
        <p class="small">Não lê nenhuma base de conhecimento.</p>
      )}
    </section>
  );
}

/** Fields for the person who asks; an assistant may call them by name. */
function PersonFields({
  onChange,
}: {
  readonly onChange: (person: Readonly<Record<string, string>>) => void;
}) {
  const read = (event: Event) => {
    const typed = [...new FormData(event.currentTarget as HTMLFormElement)].map(
      ([name, value]) => [name, typeof value === 'string' ? value.trim() : ''] as const,
    );
    onChange(Object.fromEntries(typed.filter(([, value]) => value !== '')));
  };
  return (
    <details>
      <summary>Quem pergunta</summary>
      <form class="stack" onInput={read} onSubmit={event => event.preventDefault()}>
        <Field label="Nome">{field => <input {...field} name="name" autocomplete="off" />}</Field>
        <Field label="E-mail">
          {field => <input {...field} name="email" type="email" autocomplete="off" />}
        </Field>
      </form>
    </details>
  );
}
