import { useState } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { Choices } from '../components/choices.tsx';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/states.tsx';
import { formatCount } from '../format.ts';
import type { Avatar } from '../shell/session.ts';
import { shortenDay } from './report-period.ts';

type Spend = DataOf<'getSpend'>;
type Sums = Pick<Spend, 'calls' | 'input_tokens' | 'cached_tokens' | 'output_tokens' | 'cost'>;
interface Row extends Sums {
  readonly name: string;
}

const groups = [
  ['Dia', 'Por dia'],
  ['Modelo', 'Por modelo'],
  ['Assistente', 'Por assistente'],
  ['Finalidade', 'Por finalidade'],
] as const;
type Group = (typeof groups)[number][0];

const purposes: Readonly<Record<string, string>> = {
  turn: 'Respostas',
  insight: 'Resumos e dicas',
  agent: 'Formulários de agentes',
  embedding: 'Busca por sentido',
  transcription: 'Transcrição de áudios',
  enrich: 'Palavras das pessoas',
  rewrite: 'Perguntas com outras palavras',
  scan: 'Leitura de páginas digitalizadas',
};

/** The cost of model calls, in the currency of the prices of the installation. */
export function SpendTables(props: { readonly spend: Spend; readonly avatars: readonly Avatar[] }) {
  const { spend, avatars } = props;
  const [group, setGroup] = useState<Group>('Dia');
  const { currency } = spend;
  const formatCost = makeCostFormat(currency);
  if (spend.calls === 0)
    return (
      <EmptyState
        title="Nenhum modelo foi chamado"
        text="Aqui aparecem os tokens e o custo de cada modelo, assistente e finalidade."
      />
    );
  return (
    <div class="card stack">
      <p class="spend-total">
        <strong>{formatCost(Number(spend.cost))}</strong> em{' '}
        {formatCount(spend.calls, 'chamada de modelo', 'chamadas de modelos')}
        {currency === null && ', na moeda em que os preços foram cadastrados'}. Não é o custo pelo contrato.
      </p>
      <Choices label="Gasto" value={group} choices={groups} onChoose={setGroup} />
      <DataTable
        title={`Gasto com modelos, ${group.toLowerCase()}`}
        rows={[...listRows(spend, group, avatars), { name: 'Total', ...spend }]}
        columns={[
          { head: group, of: ({ name }: Row) => name },
          { head: 'Chamadas', of: ({ calls }) => calls },
          { head: 'Tokens de entrada', of: row => row.input_tokens },
          { head: 'Deles, em cache', of: row => row.cached_tokens },
          { head: 'Tokens de saída', of: row => row.output_tokens },
          { head: 'Gasto', of: ({ cost }) => Number(cost), format: formatCost },
        ]}
      />
    </div>
  );
}

function listRows(spend: Spend, group: Group, avatars: readonly Avatar[]): Row[] {
  if (group === 'Dia')
    // Days without a call would hide the others.
    return spend.days
      .filter(({ calls }) => calls > 0)
      .map(({ day, ...sums }) => ({ name: shortenDay(day), ...sums }));
  if (group === 'Modelo') return spend.models.map(({ model, ...sums }) => ({ name: model, ...sums }));
  if (group === 'Finalidade')
    return spend.purposes.map(({ purpose, ...sums }) => ({ name: purposes[purpose] ?? purpose, ...sums }));
  return spend.avatars.map(({ avatarId, ...sums }) => ({ name: nameOf(avatarId, avatars), ...sums }));
}

function nameOf(avatarId: string, avatars: readonly Avatar[]): string {
  if (avatarId === '') return 'Fora das conversas';
  return avatars.find(({ avatar_id }) => avatar_id === avatarId)?.avatar_name ?? 'Assistente apagado';
}

/** A call costs fractions of a cent. */
export function makeCostFormat(currency: string | null): (cost: number) => string {
  const money = currency === null ? {} : ({ style: 'currency', currency } as const);
  const format = new Intl.NumberFormat('pt-BR', {
    ...money,
    minimumFractionDigits: 2,
    maximumFractionDigits: 5,
  });
  return cost => format.format(cost);
}
