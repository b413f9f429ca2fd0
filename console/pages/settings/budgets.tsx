import { OperationForm } from '../../components/operation-form.tsx';
import { ErrorNote, Skeleton } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { decimalMark, groupMark } from '../../format.ts';
import { call, readHostZone, readServiceClock } from '../../service.ts';
import { useLoad } from '../../use-load.ts';
import { findPeriods, type Preset } from '../report-period.ts';
import { makeCostFormat } from '../report-spend.tsx';
import { type HostSettings, readHostSettings } from './business-hours.tsx';

type Budgets = Pick<HostSettings, 'dailyBudget' | 'monthlyBudget'>;

/** The limits of the cost of models, beside the cost so far. */
export function BudgetsPart({ hostId }: { readonly hostId: string }) {
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

function BudgetForm(props: Awaited<ReturnType<typeof readAll>> & { readonly onSaved: () => void }) {
  const { host, currency } = props;
  const formatCost = makeCostFormat(currency);
  const save = async ({ dailyBudget, monthlyBudget }: Budgets, show: (budgets: Budgets) => void) => {
    const budgets = { dailyBudget: readAmount(dailyBudget), monthlyBudget: readAmount(monthlyBudget) };
    show(budgetsOf(await call('saveHost', { hostId: host.id, ...budgets })));
    showToast('Orçamentos salvos');
    props.onSaved();
  };
  return (
    <OperationForm
      of="saveHost"
      class="card stack"
      isPair
      begin={budgetsOf(host)}
      hints={{
        dailyBudget: `Hoje: ${describeSpent(props.day, host.dailyBudget, formatCost)}`,
        monthlyBudget: `Neste mês: ${describeSpent(props.month, host.monthlyBudget, formatCost)}`,
      }}
      save={save}
    >
      <p class="small">
        {currency ?? 'Na moeda em que os preços foram cadastrados'}; vazio é sem limite. Quando um orçamento
        acaba, o assistente faz o que se escolheu para quando ele não pode responder.
      </p>
    </OperationForm>
  );
}

const budgetsOf = ({ dailyBudget, monthlyBudget }: Budgets): Budgets => ({
  dailyBudget: writeAmount(dailyBudget),
  monthlyBudget: writeAmount(monthlyBudget),
});

const writeAmount = (decimal: string): string => decimal.replace('.', decimalMark);
/** In Portuguese, a point separates thousands. */
export const readAmount = (text: string): string =>
  text.trim().replaceAll(groupMark, '').replace(decimalMark, '.');

function describeSpent(spent: string, budget: string, formatCost: (cost: number) => string): string {
  const cost = formatCost(Number(spent));
  if (budget === '') return `${cost} até agora`;
  if (Number(budget) === 0) return `${cost}; com zero, o assistente não responde`;
  const share = Math.round((Number(spent) / Number(budget)) * 100).toLocaleString('pt-BR');
  return `${cost} de ${formatCost(Number(budget))}, ${share}%`;
}
