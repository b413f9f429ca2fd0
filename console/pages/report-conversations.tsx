import { useState } from 'preact/hooks';
import { Drawer } from '../components/drawer.tsx';
import { Initials, ListRow } from '../components/list-row.tsx';
import { ErrorNote } from '../components/states.tsx';
import { formatShortly } from '../format.ts';
import { call } from '../service.ts';
import { linkTo } from '../shell/route.ts';
import { useLoad } from '../use-load.ts';
import { nameVisitor } from './inbox/conversation.ts';

export interface Ids {
  readonly conversations: readonly string[];
  readonly nextCursor: string | null;
}

/** The conversations behind a figure: a first page, and how the next ones are read. */
export interface IdList {
  readonly first: Ids;
  readonly readMore: (cursor: string) => Promise<Ids>;
}

/** Joins the lists that one figure counts: the first pages of all, then the other pages of one list after another. */
export function joinLists(lists: readonly IdList[]): IdList {
  const begin = (from: number): string | null => {
    const nth = lists.findIndex(({ first }, at) => at >= from && first.nextCursor !== null);
    return nth < 0 ? null : `${nth} ${lists[nth]?.first.nextCursor}`;
  };
  return {
    first: { conversations: lists.flatMap(({ first }) => first.conversations), nextCursor: begin(0) },
    readMore: async cursor => {
      const [at, own = ''] = cursor.split(' ');
      const nth = Number(at);
      const page = await lists[nth]?.readMore(own);
      const next = page?.nextCursor ?? null;
      return {
        conversations: page?.conversations ?? [],
        nextCursor: next === null ? begin(nth + 1) : `${nth} ${next}`,
      };
    },
  };
}

/** How many are shown at a time: each is read by its own call. */
const STEP = 12;

export function ConversationsDrawer(
  props: IdList & {
    readonly title: string;
    readonly onClose: () => void;
  },
) {
  const { title, first, readMore, onClose } = props;
  // A conversation that counts several times is named as often.
  const [named, setNamed] = useState(first.conversations);
  const ids = [...new Set(named)];
  const [cursor, setCursor] = useState(first.nextCursor);
  const [count, setCount] = useState(STEP);
  const [error, setError] = useState<unknown>();
  const showMore = async () => {
    setError(undefined);
    try {
      if (count + STEP > ids.length && cursor !== null) {
        const next = await readMore(cursor);
        setNamed([...named, ...next.conversations]);
        setCursor(next.nextCursor);
      }
      setCount(count + STEP);
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <Drawer title={title} onClose={onClose}>
      <ul class="list">
        {ids.slice(0, count).map(id => (
          <ConversationRow key={id} id={id} />
        ))}
      </ul>
      {ids.length < named.length && (
        <p class="small">Uma conversa que conta mais de uma vez aparece uma só.</p>
      )}
      {error !== undefined && <ErrorNote error={error} />}
      {(count < ids.length || cursor !== null) && (
        <button type="button" class="quiet" onClick={() => void showMore()}>
          Mais conversas
        </button>
      )}
    </Drawer>
  );
}

function ConversationRow({ id }: { readonly id: string }) {
  const { data, isLoading } = useLoad(() => call('getConversationInformation', { conversationId: id }), [id]);
  const name = data?.user_name || data?.wpp_id || nameVisitor(id);
  return (
    <ListRow
      lead={<Initials name={data ? name : ''} />}
      title={isLoading ? 'Carregando…' : name}
      detail={data?.main_topic || data?.dialogue_summary}
      aside={data && formatShortly(data.last_message_at)}
      href={linkTo('atendimento', [id])}
    />
  );
}
