import { UserPlus } from 'lucide';
import { useState } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { copyText } from '../clipboard.ts';
import { Badge } from '../components/badge.tsx';
import { Drawer } from '../components/drawer.tsx';
import { Field } from '../components/field.tsx';
import { Initials } from '../components/list-row.tsx';
import { NounList, type Row } from '../components/noun-list.tsx';
import { OperationForm } from '../components/operation-form.tsx';
import { ErrorNote, Skeleton } from '../components/states.tsx';
import { showToast } from '../components/toast.tsx';
import { formatCount, formatMoment } from '../format.ts';
import { call, getSession } from '../service.ts';
import { useLoad } from '../use-load.ts';
import { roleNames } from '../words.ts';
import { isAttendedBy } from './inbox/conversation.ts';
import { feed } from './inbox/feed.ts';

type Person = DataOf<'savePerson'>;

const hostOfSession = () => ({ hostId: getSession()?.host.host_id ?? '' });

/** The people who sign in to the console of the host. */
export function TeamPage() {
  const loaded = useLoad(() => call('listPeople', hostOfSession()), []);
  const [invited, invite] = useState<Person>();
  return (
    <NounList
      loaded={loaded}
      label="Pessoas"
      page={{ title: 'Equipe', about: 'Quem entra neste painel, e o que cada pessoa pode.' }}
      begin={{ text: 'Convidar pessoa', icon: UserPlus }}
      empty={{
        title: 'Ainda não há ninguém na equipe',
        text: 'Convide uma pessoa: ela entra por um link, sem senha, e você decide o que ela pode.',
      }}
      rowOf={person => rowOf(person, () => invite(person))}
      form={({ item, onSaved }) => (
        <OperationForm
          of="savePerson"
          begin={{ name: item?.name ?? '', email: item?.email ?? '', role: item?.role ?? 'agent' }}
          text={item ? 'Salvar' : 'Continuar'}
          save={async fields => {
            const id = item && { id: item.personId };
            const saved = await call('savePerson', { ...hostOfSession(), ...id, ...fields });
            onSaved();
            if (!item) invite(saved);
          }}
        />
      )}
    >
      {invited && (
        <LinkDrawer
          person={invited}
          onClose={() => {
            invite(undefined);
            loaded.reload();
          }}
        />
      )}
    </NounList>
  );
}

function rowOf(person: Person, onInvite: () => void): Row {
  const { personId, name, email, role, disabled } = person;
  const save = (change: object) => call('savePerson', { ...hostOfSession(), id: personId, ...change });
  return {
    id: personId,
    lead: <Initials name={name} />,
    title: name,
    detail: (
      <>
        {email}
        <br />
        {describeUse(person)}
      </>
    ),
    aside: (
      <span>
        {personId === getSession()?.id && <Badge>Você</Badge>}{' '}
        {disabled && <Badge tone="bad">Desativada</Badge>}{' '}
        <Badge tone={role === 'admin' ? 'good' : 'plain'}>{roleNames[role]}</Badge>
      </span>
    ),
    menu: disabled
      ? [{ text: 'Reativar', run: () => save({ disabled: false }), done: `${name} pode entrar de novo` }]
      : [
          { text: 'Criar link de entrada', run: onInvite },
          {
            text: 'Encerrar as sessões',
            run: () => call('endSessions', { ...hostOfSession(), personId }),
            done: `${name} saiu de todos os navegadores`,
          },
          {
            text: 'Desativar',
            isDangerous: true,
            question: {
              title: `Desativar ${name}?`,
              text: 'A pessoa sai do painel agora, em todos os navegadores, e não entra mais até ser reativada.',
              action: 'Desativar',
            },
            run: () => save({ disabled: true }),
            done: `${name} não entra mais`,
          },
        ],
  };
}

function describeUse(person: Person): string {
  const { invitedUntil, lastSeenAt } = person;
  const all = [...(feed.value?.conversations.value.values() ?? [])];
  // A person who works elsewhere, or whom another system entered, may attend without this page.
  const attended = all.filter(each => isAttendedBy(each, person)).length;
  const unseen =
    attended > 0 ? `Atende ${formatCount(attended, 'conversa', 'conversas')}` : 'Ainda não entrou';
  const seen = lastSeenAt ? `No painel em ${formatMoment(lastSeenAt)}` : unseen;
  return invitedUntil ? `${seen} · link à espera até ${formatMoment(invitedUntil)}` : seen;
}

/** Makes a new link, which replaces an earlier one; it is shown once. */
function LinkDrawer({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const { personId, name } = person;
  const { data, error, reload } = useLoad(() => call('invitePerson', { ...hostOfSession(), personId }), []);
  // The browser knows best under which address it reaches the page.
  const link = data && `${location.origin}${location.pathname}#${data.link.split('#')[1]}`;
  const copy = async () => {
    if (link && (await copyText(link))) showToast('Link copiado');
  };
  return (
    <Drawer title={`Link de ${name}`} onClose={onClose}>
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton rows={2} label="Criando o link" />}
      {data && (
        <div class="stack">
          <p>
            Envie este link só a {name}. Ele entra uma vez, até {formatMoment(data.expiresAt)}, e não aparece
            de novo.
          </p>
          <Field label="Link de entrada">
            {field => (
              <input {...field} readOnly value={link} onFocus={event => event.currentTarget.select()} />
            )}
          </Field>
          <button type="button" onClick={() => void copy()}>
            Copiar o link
          </button>
        </div>
      )}
    </Drawer>
  );
}
