import { CircleCheck, CircleDashed } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { Icon } from '../components/icon.tsx';
import { feed } from '../pages/inbox/feed.ts';
import { call } from '../service.ts';
import { useLoad } from '../use-load.ts';
import { linkTo, route } from './route.ts';
import type { SessionContext } from './session.ts';

/** Keys in the storage of this browser: the list is hidden for good, or a question was asked in the trial. */
const keyOf = (what: string, hostId: string) => `parley-${what}:${hostId}`;
const isKept = (key: string) => localStorage.getItem(key) !== null;

export const keepTried = (hostId: string): void => localStorage.setItem(keyOf('tried', hostId), '1');

/** The first tasks in a host of a person who manages, until they are done: an assistant, its knowledge, a trial. */
export function FirstSteps({ context }: { readonly context: SessionContext }) {
  const hostId = context.host?.host_id ?? '';
  const hidden = keyOf('steps-done', hostId);
  const [isHidden, setHidden] = useState(isKept(hidden));
  const { page, parts } = route.value;
  const known = useRef<DataOf<'listDatasets'>>([]);
  // Until there is one, each page looks again: it may be new, or the list could not be read.
  const { data } = useLoad(async () => {
    if (!isHidden && known.current.length === 0) known.current = await call('listDatasets', { hostId });
    return known.current;
  }, [page]);
  // Nobody needs to try where people write already.
  const isTried = isKept(keyOf('tried', hostId)) || (feed.value?.conversations.value.size ?? 0) > 0;
  const steps = [
    { page: 'assistentes', text: 'Dê nome e instruções ao assistente', isDone: context.avatars.length > 0 },
    { page: 'conhecimento', text: 'Conte a ele o que deve saber', isDone: (data?.length ?? 0) > 0 },
    { page: 'testar', text: 'Teste uma conversa', isDone: isTried },
  ];
  // A person in the trial is busy with it, and an attendant has no time for it.
  const isBusy = page === 'testar' || page === 'comecar' || (page === 'atendimento' && parts.length > 0);
  if (isHidden || isBusy || !feed.value?.isRead || !data || steps.every(({ isDone }) => isDone)) return null;
  const hide = () => {
    localStorage.setItem(hidden, '1');
    setHidden(true);
  };
  return (
    <section class="first-steps card" aria-label="Primeiros passos">
      <h2>Primeiros passos</h2>
      {data.length === 0 && (
        <p>
          <a href={linkTo('comecar')}>Comece pelo endereço do seu site</a>, ou passo a passo:
        </p>
      )}
      <ol>
        {steps.map(({ page, text, isDone }) => (
          <li key={page} class={isDone ? 'is-done' : ''}>
            <Icon of={isDone ? CircleCheck : CircleDashed} />
            <a href={linkTo(page)}>{text}</a>
            {isDone && <span class="unseen">(feito)</span>}
          </li>
        ))}
      </ol>
      <button type="button" class="quiet slim" onClick={hide}>
        Não mostrar mais
      </button>
    </section>
  );
}
