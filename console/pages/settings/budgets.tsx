import { useState } from 'preact/hooks';
import { Field } from '../../components/field.tsx';
import { ActionNote, ErrorNote, Skeleton } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call, readHostZone, readServiceClock } from '../../service.ts';
import { useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';
import { findPeriods, type Preset } from '../report-period.ts';
import { makeCostFormat } from '../report-spend.tsx';
import { type HostSettings, readHostSettings } from './business-hours.tsx';

/** The limits of the cost of models, beside the cost so far. */
export function Budgets({ hostId }: { readonly hostId: string }) {
  const { data, error, reload } = useLoad(() => readAll(hostId), [hostId]);
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Skeleton rows={2} label="Carregando os orçamentos" />;
  return <BudgetForm {...data} onSaved={reload} />;
}

async function readAll(hostId: string) {
  const spendOf = (preset: Preset) =>
    call('getSpend', { hostId, ...findPeriods(preset, readServiceClock(), readHostZone()).period });
  const [host, day, month] = await Promise.all([readHostSettings(hostId), spendOf('hoje'), spendOf('mes')]);
  return { host, day: day.cost, month: month.cost, currency: day.currency };
}

function BudgetForm({
  host,
  day,
  month,
  currency,
  onSaved,
}: {
  readonly host: HostSettings;
  readonly day: string;
  readonly month: string;
  readonly currency: string | null;
  readonly onSaved: () => void;
}) {
  const [daily, setDaily] = useState(writeAmount(host.dailyBudget));
  const [monthly, setMonthly] = useState(writeAmount(host.monthlyBudget));
  const saving = useAction();
  const formatCost = makeCostFormat(currency);
  const save = async () => {
    const budgets = { dailyBudget: readAmount(daily), monthlyBudget: readAmount(monthly) };
    await call('saveHost', { hostId: host.id, ...budgets });
    showToast('Orçamentos salvos');
    onSaved();
  };
  return (
    <form
      class="card stack"
      onSubmit={event => {
        event.preventDefault();
        saving.run(save);
      }}
    >
      <div class="pair">
        <Amount
          label="Por dia"
          spent={`Hoje: ${describeSpent(day, host.dailyBudget, formatCost)}`}
          value={daily}
          onInput={setDaily}
        />
        <Amount
          label="Por mês"
          spent={`Neste mês: ${describeSpent(month, host.monthlyBudget, formatCost)}`}
          value={monthly}
          onInput={setMonthly}
        />
      </div>
      <p class="small">
        {currency ?? 'Na moeda em que os preços foram cadastrados'}; vazio é sem limite. Quando um orçamento
        acaba, o assistente faz o que se escolheu para quando ele não pode responder.
      </p>
      <ActionNote of={saving} />
      <div class="buttons">
        <button type="submit" aria-busy={saving.isBusy}>
          Salvar
        </button>
      </div>
    </form>
  );
}

function Amount({
  label,
  spent,
  value,
  onInput,
}: {
  readonly label: string;
  readonly spent: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  return (
    <Field label={label} hint={spent}>
      {field => (
        <input
          {...field}
          inputMode="decimal"
          placeholder="Sem limite"
          pattern="\s*(\d{1,9}|\d{1,3}(\.\d{3}){1,2})(,\d{1,6})?\s*"
          value={value}
          onInput={event => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

const writeAmount = (decimal: string): string => decimal.replace('.', ',');
/** In Portuguese, a point separates thousands. */
const readAmount = (text: string): string => text.trim().replaceAll('.', '').replace(',', '.');

function describeSpent(spent: string, budget: string, formatCost: (cost: number) => string): string {
  const cost = formatCost(Number(spent));
  if (budget === '') return `${cost} até agora`;
  if (Number(budget) === 0) return `${cost}; com zero, o assistente não responde`;
  const share = Math.round((Number(spent) / Number(budget)) * 100).toLocaleString('pt-BR');
  return `${cost} de ${formatCost(Number(budget))}, ${share}%`;
}
