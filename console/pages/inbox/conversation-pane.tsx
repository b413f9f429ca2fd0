import { ArrowLeft, PanelRight } from 'lucide';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Drawer } from '../../components/drawer.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { isWorthRetrying } from '../../errors.ts';
import { readPerson } from '../../shell/person-name.ts';
import { linkTo } from '../../shell/route.ts';
import type { SessionContext } from '../../shell/session.ts';
import { type Action, useAction } from '../../use-action.ts';
import { Attending, type AttendingAction, describeState, listActions } from './attending.ts';
import { Composer } from './composer.tsx';
import { ContactPanel } from './contact-panel.tsx';
import { type Conversation, isWaiting, type Message, nameChannel, namePerson } from './conversation.ts';
import type { Feed } from './feed.ts';
import { hasQuestion, suggestAnswer } from './suggestion.ts';
import { Transcript } from './transcript.tsx';
import { TypingLine } from './typing.tsx';
import { useMessages } from './use-messages.ts';
import { describeWindow, isWindowClosed } from './window.tsx';

/** One conversation: its person and attendants, its messages, the answer of a person, and what is known of the person. */
export function ConversationPane(props: {
  readonly feed: Feed;
  readonly conversation: Conversation;
  readonly context: SessionContext;
}) {
  const { feed, conversation, context } = props;
  const { id } = conversation;
  const person = namePerson(conversation);
  const messages = useMessages(feed, conversation);
  const attending = useMemo(() => new Attending(feed, id), []);
  useEffect(() => void attending.addReplaced(), [conversation]);
  const action = useAction();
  const { host } = context;
  const mayTry = host && hasQuestion(messages.items);
  return (
    <>
      <section class="pane" aria-label={`Conversa com ${person}`}>
        <PaneHead
          conversation={conversation}
          messages={messages.items}
          context={context}
          attending={attending}
          action={action}
        />
        <p class={isWaiting(conversation) ? 'banner banner-waiting' : 'banner'} role="status">
          {[describeState(conversation, readPerson()), describeWindow(conversation)].join(' ').trim()}
        </p>
        {action.error !== undefined && (
          <ErrorNote
            error={action.error}
            {...(isWorthRetrying(action.error) ? { onRetry: action.retry } : {})}
          />
        )}
        <Transcript context={context} conversation={conversation} messages={messages} person={person} />
        <TypingLine conversationId={id} />
        <Composer
          feed={feed}
          conversationId={id}
          attending={attending}
          isClosed={conversation.closed}
          windowClosed={isWindowClosed(conversation) ? 'O canal não leva texto livre agora' : undefined}
          suggest={mayTry ? () => suggestAnswer(host, messages.items) : undefined}
        />
      </section>
      <aside class="contact" aria-label="Sobre a pessoa">
        <ContactPanel conversation={conversation} messages={messages.items} context={context} />
      </aside>
    </>
  );
}

const actionTexts: Readonly<Record<AttendingAction, string>> = {
  takeOver: 'Assumir',
  join: 'Assumir também',
  passOn: 'Passar',
  giveBack: 'Devolver ao assistente',
  close: 'Encerrar',
  reopen: 'Reabrir',
};

function PaneHead(props: {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  readonly context: SessionContext;
  readonly attending: Attending;
  readonly action: Action;
}) {
  const { conversation, messages, context, attending, action } = props;
  const [isDrawn, setDrawn] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  // A person who opened it from the list reads on here.
  useLayoutEffect(() => {
    if (document.activeElement?.matches('.inbox-row')) title.current?.focus();
  }, []);
  return (
    <header class="pane-head">
      <a class="icon-link back" href={linkTo('atendimento')} aria-label="Voltar às conversas">
        <Icon of={ArrowLeft} size={20} />
      </a>
      <div class="pane-title">
        <h2 tabIndex={-1} ref={title}>
          {namePerson(conversation)}
        </h2>
        <p class="small">
          {[nameChannel(conversation.platform), conversation.main_topic].filter(Boolean).join(' · ')}
        </p>
      </div>
      <ActionButtons conversation={conversation} attending={attending} action={action} />
      <button
        type="button"
        class="icon-button about-person"
        aria-label="Sobre a pessoa"
        title="Sobre a pessoa"
        onClick={() => setDrawn(true)}
      >
        <Icon of={PanelRight} />
      </button>
      {isDrawn && (
        <Drawer title="Sobre a pessoa" onClose={() => setDrawn(false)}>
          <ContactPanel conversation={conversation} messages={messages} context={context} />
        </Drawer>
      )}
    </header>
  );
}

function ActionButtons(props: {
  readonly conversation: Conversation;
  readonly attending: Attending;
  readonly action: Action;
}) {
  const { conversation, attending, action } = props;
  const buttons = useRef<HTMLDivElement>(null);
  const actions = listActions(conversation, readPerson());
  // The button that the person pressed is gone.
  const isFocusLost = useRef(false);
  useLayoutEffect(() => {
    if (isFocusLost.current && !buttons.current?.contains(document.activeElement))
      buttons.current?.querySelector('button')?.focus();
    isFocusLost.current = false;
  }, [actions.join()]);
  const choose = (name: AttendingAction) => {
    isFocusLost.current = true;
    action.run(() => attending[name]());
  };
  return (
    <div class="buttons" ref={buttons}>
      {actions.map((name, at) => (
        <button
          key={name}
          type="button"
          class={name === 'takeOver' || name === 'reopen' ? 'slim' : 'quiet slim'}
          aria-busy={action.isBusy && at === 0}
          onClick={() => choose(name)}
        >
          {actionTexts[name]}
        </button>
      ))}
      {actions.length > 1 && (
        <Menu
          label={`Ações da conversa com ${namePerson(conversation)}`}
          actions={actions.slice(1).map(name => ({ text: actionTexts[name], onChoose: () => choose(name) }))}
        />
      )}
    </div>
  );
}
