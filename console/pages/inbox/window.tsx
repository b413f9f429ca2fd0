import { Badge } from '../../components/badge.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { formatMoment } from '../../format.ts';
import { call, readServiceClock } from '../../service.ts';
import { readPersonName } from '../../shell/person-name.ts';
import type { Attending } from './attending.ts';
import { type Conversation, describeWait } from './conversation.ts';
import type { Feed } from './feed.ts';

/* Some channels take free text only for some hours after the person wrote. */

type Windowed = Pick<Conversation, 'window_ends_at'>;

export const isWindowClosed = ({ window_ends_at: end }: Windowed): boolean =>
  end !== null && Date.parse(end) <= readServiceClock();

/** The service tells of it this long before. */
const CLOSING_MS = 2 * 60 * 60_000;

/** Of an open conversation, in its row. */
export function WindowBadge({ conversation }: { readonly conversation: Conversation }) {
  const { window_ends_at: end, closed } = conversation;
  const now = readServiceClock();
  if (end === null || closed || Date.parse(end) > now + CLOSING_MS) return null;
  if (isWindowClosed(conversation)) return <Badge tone="bad">Janela fechada</Badge>;
  return (
    <Badge tone="warn">Janela fecha em {describeWait(new Date(now).toISOString(), Date.parse(end))}</Badge>
  );
}

/** Says until when the person can be written to; nothing where that has no end. */
export function describeWindow(conversation: Windowed): string {
  const { window_ends_at: end } = conversation;
  if (end === null) return '';
  if (!isWindowClosed(conversation)) return `O canal leva texto livre até ${formatMoment(end)}.`;
  return `O canal não leva mais texto livre desde ${formatMoment(end)}: só um modelo aprovado, até a pessoa escrever.`;
}

/** Sends a template of the channel, in place of a text of one's own. */
export function TemplateForm(props: {
  readonly feed: Feed;
  readonly conversationId: string;
  readonly attending: Attending;
}) {
  const { feed, conversationId, attending } = props;
  const begin = { 'template.name': '', 'template.language': 'pt_BR', 'template.values': '', content: '' };
  return (
    <OperationForm
      of="appendMessage"
      begin={begin}
      isPair
      text="Enviar modelo"
      save={async ({ content, ...sent }, show) => {
        if (!(await attending.takeOverIfFree())) return;
        const values = sent['template.values'].split('\n').filter(value => value.trim() !== '');
        const template = { name: sent['template.name'], language: sent['template.language'], values };
        const body = { hostId: feed.hostId, conversationId, author: 'human', content, template } as const;
        await call('appendMessage', { ...body, name: readPersonName() ?? '' });
        show(begin);
        void feed.refresh();
      }}
    />
  );
}
