import type { DataOf } from '../../queues/contract/operations/index.ts';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/states.tsx';
import { nameApart } from '../format.ts';
import { formatSeconds } from './report-outcomes.tsx';

type Member = DataOf<'getTeamStats'>[number];

const format = (seconds: number | null): string => (seconds === null ? '–' : formatSeconds(seconds));

/** How much each colleague attended, and how soon. */
export function TeamTable({ team }: { readonly team: readonly Member[] }) {
  if (team.length === 0)
    return (
      <EmptyState
        title="Ninguém da equipe atendeu neste período"
        text="Aqui aparece quem escreveu às pessoas, e em quanto tempo."
      />
    );
  return (
    <div class="card stack">
      <DataTable
        title="Atendimento por colega"
        rows={team}
        columns={[
          { head: 'Colega', of: (member: Member) => nameApart(member, team) || 'Sem nome' },
          { head: 'Conversas', of: ({ conversations }) => conversations },
          { head: 'Mensagens', of: ({ messages }) => messages },
          { head: 'Primeira resposta', of: row => format(row.secondsUntilFirstAnswer) },
          { head: 'Até responder', of: row => format(row.secondsUntilAnswer) },
        ]}
      />
      <p class="small">
        Metade das vezes foi mais depressa. Primeira resposta: desde o pedido por uma pessoa. Até responder:
        desde a mensagem que esperava. Contam as 10.000 mensagens mais novas da equipe.
      </p>
    </div>
  );
}

type Attendance = DataOf<'getAttendanceStats'>;

/** What each team was handed, why conversations were closed, and their labels; nothing of what the host does not use. */
export function AttendanceTables({ stats }: { readonly stats: Attendance }) {
  const { teams, closeReasons, labels } = stats;
  const conversations = {
    head: 'Conversas',
    of: (row: { readonly conversations: number }) => row.conversations,
  };
  return (
    <>
      {teams.some(({ teamId }) => teamId !== null) && (
        <div class="card stack">
          <DataTable
            title="Atendimento por equipe"
            rows={teams}
            columns={[
              { head: 'Equipe', of: ({ teamId, name }) => (teamId === null ? 'Sem equipe' : name) },
              conversations,
              { head: 'Respondidas', of: ({ answered }) => answered },
              { head: 'Esperam', of: ({ waiting }) => waiting },
              { head: 'Encerradas', of: ({ closed }) => closed },
              { head: 'Primeira resposta', of: row => format(row.secondsUntilFirstAnswer) },
            ]}
          />
        </div>
      )}
      {closeReasons.length > 0 && (
        <div class="card stack">
          <DataTable
            title="Motivos de encerrar"
            rows={closeReasons}
            columns={[{ head: 'Motivo', of: ({ reason }) => reason }, conversations]}
          />
        </div>
      )}
      {labels.length > 0 && (
        <div class="card stack">
          <DataTable
            title="Etiquetas"
            rows={labels}
            columns={[{ head: 'Etiqueta', of: ({ label }) => label }, conversations]}
          />
        </div>
      )}
    </>
  );
}
