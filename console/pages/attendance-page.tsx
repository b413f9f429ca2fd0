import { UsersRound } from 'lucide';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { NounList, type Row } from '../components/noun-list.tsx';
import { OperationForm } from '../components/operation-form.tsx';
import { ErrorNote, Skeleton } from '../components/states.tsx';
import { showToast } from '../components/toast.tsx';
import { formatCount, nameApart } from '../format.ts';
import { call, getSession } from '../service.ts';
import { useLoad } from '../use-load.ts';

type Team = DataOf<'saveTeam'>;
type Lists = DataOf<'readAttendance'>;
type Colleagues = DataOf<'listColleagues'>;

/** The teams to which conversations are handed, and what staff choose from for a conversation. */
export function AttendancePage() {
  const hostId = getSession()?.host.host_id ?? '';
  const loaded = useLoad(async () => {
    const [teams, people] = await Promise.all([
      call('listTeams', { hostId }),
      call('listColleagues', { hostId }),
    ]);
    return { teams, people };
  }, [hostId]);
  const lists = useLoad(() => call('readAttendance', { hostId }), [hostId]);
  const people = loaded.data?.people ?? [];
  return (
    <NounList
      loaded={{ ...loaded, data: loaded.data?.teams }}
      label="Equipes"
      page={{
        title: 'Equipes e etiquetas',
        about: 'Para quem o assistente passa cada assunto, e como a equipe marca e encerra as conversas.',
      }}
      begin={{ text: 'Nova equipe', icon: UsersRound }}
      empty={{
        title: 'Ainda não há equipes',
        text: 'Com elas cada assunto espera por quem cuida dele. Sem elas toda conversa espera por todos.',
      }}
      rowOf={team => rowOf(team, people, hostId)}
      form={({ item, onSaved, onClose }) => (
        <TeamForm hostId={hostId} team={item} people={people} onSaved={onSaved} onClose={onClose} />
      )}
    >
      <h2>Etiquetas e motivos</h2>
      {lists.error !== undefined && <ErrorNote error={lists.error} onRetry={lists.reload} />}
      {!lists.data && lists.error === undefined && <Skeleton rows={2} label="Carregando as etiquetas" />}
      {lists.data && <ListsForm hostId={hostId} lists={lists.data} />}
    </NounList>
  );
}

function rowOf({ teamId, name, description, personIds }: Team, people: Colleagues, hostId: string): Row {
  const members = people.filter(({ personId }) => personIds.includes(personId));
  return {
    id: teamId,
    icon: UsersRound,
    title: name,
    detail: (
      <>
        {description || 'Sem descrição: o assistente escolhe pelo nome'}
        <br />
        {members.map(each => nameApart(each, people)).join(', ') || 'Ninguém ainda'}
      </>
    ),
    aside: <span>{formatCount(personIds.length, 'pessoa', 'pessoas')}</span>,
    menu: [
      {
        text: 'Excluir equipe',
        isDangerous: true,
        question: {
          title: `Excluir “${name}”?`,
          text: 'O que espera por ela passa a esperar por todos. Os relatórios guardam o que ela atendeu.',
          action: 'Excluir equipe',
        },
        run: () => call('saveTeam', { hostId, teamId, deleted: true }),
        done: 'Equipe excluída',
      },
    ],
  };
}

function TeamForm(props: {
  readonly hostId: string;
  /** Undefined for a new one. */
  readonly team: Team | undefined;
  readonly people: Colleagues;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const { hostId, team, people } = props;
  const known = new Set(people.map(({ personId }) => personId));
  // Who is disabled is no colleague now, and stays a member.
  const others = (team?.personIds ?? []).filter(id => !known.has(id));
  const choices = [
    ...people.map(each => [each.personId, nameApart(each, people)] as const),
    ...others.map(id => [id, 'Pessoa desativada'] as const),
  ];
  return (
    <OperationForm
      of="saveTeam"
      begin={{
        name: team?.name ?? '',
        description: team?.description ?? '',
        personIds: team?.personIds ?? [],
      }}
      choices={{ personIds: choices }}
      text={team ? 'Salvar' : 'Criar equipe'}
      save={async fields => {
        await call('saveTeam', { hostId, ...(team && { teamId: team.teamId }), ...fields });
        props.onSaved();
      }}
      onCancel={props.onClose}
    />
  );
}

function ListsForm({ hostId, lists }: { readonly hostId: string; readonly lists: Lists }) {
  const save = async (typed: Draft, show: (stored: Draft) => void) => {
    const stored = await call('saveAttendance', {
      hostId,
      labels: linesOf(typed['labels.text']),
      close_reasons: linesOf(typed['close_reasons.text']),
      reassign_after_minutes: typed.reassign_after_minutes,
    });
    show(draftOf(stored));
    showToast('Salvo');
  };
  return <OperationForm of="saveAttendance" class="card stack" begin={draftOf(lists)} save={save} />;
}

const draftOf = ({ labels, close_reasons, reassign_after_minutes }: Lists) => ({
  'labels.text': labels.join('\n'),
  'close_reasons.text': close_reasons.join('\n'),
  reassign_after_minutes,
});
type Draft = ReturnType<typeof draftOf>;

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
