import { UserPlus } from 'lucide';
import { useState } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { copyText } from '../clipboard.ts';
import { Badge } from '../components/badge.tsx';
import { confirmAction } from '../components/dialogs.tsx';
import { Drawer } from '../components/drawer.tsx';
import { Field } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { Initials } from '../components/list-row.tsx';
import { Menu } from '../components/menu.tsx';
import { OperationForm } from '../components/operation-form.tsx';
import { Page } from '../components/page.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../components/states.tsx';
import { showToast } from '../components/toast.tsx';
import { formatCount, formatMoment } from '../format.ts';
import { call, getSession } from '../service.ts';
import { useAction } from '../use-action.ts';
import { useLoad } from '../use-load.ts';
import { roleNames } from '../words.ts';
import { isAttendedBy } from './inbox/conversation.ts';
import { feed } from './inbox/feed.ts';

type Person = DataOf<'savePerson'>;

const hostOfSession = () => ({ hostId: getSession()?.host.host_id ?? '' });

/** The people who sign in to the console of the host. */
export function TeamPage() {
  const { data: people, error, reload } = useLoad(() => call('listPeople', hostOfSession()), []);
  const [open, setOpen] = useState<'new' | { edited: Person } | { invited: Person }>();
  const close = () => {
    setOpen(undefined);
    reload();
  };
  const invite = (
    <button type="button" class="with-icon" onClick={() => setOpen('new')}>
      <Icon of={UserPlus} />
      Convidar pessoa
    </button>
  );
  const isFormOpen = open === 'new' || (open !== undefined && 'edited' in open);
  return (
    <Page title="Equipe" about="Quem entra neste painel, e o que cada pessoa pode." action={invite}>
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!people && error === undefined && <Skeleton label="Lendo a equipe" />}
      {people?.length === 0 && (
        <EmptyState
          title="Ainda não há ninguém na equipe"
          text="Convide uma pessoa: ela entra por um link, sem senha, e você decide o que ela pode."
        />
      )}
      {people && people.length > 0 && (
        <ul class="list" aria-label="Pessoas">
          {people.map(person => (
            <PersonRow
              key={person.personId}
              person={person}
              onEdit={() => setOpen({ edited: person })}
              onInvite={() => setOpen({ invited: person })}
              onChange={reload}
            />
          ))}
        </ul>
      )}
      {isFormOpen && (
        <PersonForm
          person={open === 'new' ? undefined : open.edited}
          onClose={() => setOpen(undefined)}
          onSaved={person => (open === 'new' ? setOpen({ invited: person }) : close())}
        />
      )}
      {typeof open === 'object' && 'invited' in open && <LinkDrawer person={open.invited} onClose={close} />}
    </Page>
  );
}

/** The actions of the menu that need no form. */
function usePersonActions({ personId, name }: Person, onChange: () => void) {
  const { run, error } = useAction();
  const change = (work: () => Promise<unknown>, done: string) =>
    run(async () => {
      await work();
      showToast(done);
      onChange();
    });
  const setDisabled = async (disabled: boolean) => {
    const title = `Desativar ${name}?`;
    const text = 'A pessoa sai do painel agora, em todos os navegadores, e não entra mais até ser reativada.';
    if (disabled && !(await confirmAction({ title, text, action: 'Desativar' }))) return;
    change(
      () => call('savePerson', { ...hostOfSession(), id: personId, disabled }),
      disabled ? `${name} não entra mais` : `${name} pode entrar de novo`,
    );
  };
  const endSessions = () =>
    change(
      () => call('endSessions', { ...hostOfSession(), personId }),
      `${name} saiu de todos os navegadores`,
    );
  return { setDisabled, endSessions, error };
}

function PersonRow({
  person,
  onEdit,
  onInvite,
  onChange,
}: {
  readonly person: Person;
  readonly onEdit: () => void;
  readonly onInvite: () => void;
  readonly onChange: () => void;
}) {
  const { setDisabled, endSessions, error } = usePersonActions(person, onChange);
  const { personId, name, email, role, disabled } = person;
  return (
    <li class="person">
      <div class="person-row">
        <Initials name={name} />
        <span class="list-row-text">
          <strong>{name}</strong>
          <span class="small">{email}</span>
          <span class="small">{describeUse(person)}</span>
        </span>
        <span class="person-state">
          {personId === getSession()?.id && <Badge>Você</Badge>}
          {disabled && <Badge tone="bad">Desativada</Badge>}
          <Badge tone={role === 'admin' ? 'good' : 'plain'}>{roleNames[role]}</Badge>
        </span>
        <Menu
          label={`Ações de ${name}`}
          actions={[
            { text: 'Editar', onChoose: onEdit },
            ...(disabled
              ? [{ text: 'Reativar', onChoose: () => void setDisabled(false) }]
              : [
                  { text: 'Criar link de entrada', onChoose: onInvite },
                  { text: 'Encerrar as sessões', onChoose: endSessions },
                  { text: 'Desativar', onChoose: () => void setDisabled(true), isDangerous: true },
                ]),
          ]}
        />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
    </li>
  );
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

/** Adds a person, or changes one. */
function PersonForm(props: {
  readonly person: Person | undefined;
  readonly onClose: () => void;
  readonly onSaved: (person: Person) => void;
}) {
  const { personId, name = '', email = '', role = 'agent' } = props.person ?? {};
  return (
    <Drawer title={props.person ? `Editar ${name}` : 'Convidar pessoa'} onClose={props.onClose}>
      <OperationForm
        of="savePerson"
        begin={{ name, email, role }}
        text={props.person ? 'Salvar' : 'Continuar'}
        save={async fields =>
          props.onSaved(
            await call('savePerson', { ...hostOfSession(), ...(personId && { id: personId }), ...fields }),
          )
        }
      />
    </Drawer>
  );
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
