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
