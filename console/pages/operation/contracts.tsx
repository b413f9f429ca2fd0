import { FileText } from 'lucide';
import { NounList } from '../../components/noun-list.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { formatCount } from '../../format.ts';
import { call } from '../../service.ts';
import { useLoad } from '../../use-load.ts';
import { readAmount } from '../settings/budgets.tsx';

const formatPrice = (price: string) =>
  Number(price).toLocaleString('pt-BR', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
const formatDate = (day: string) => day.split('-').toReversed().join('/');

/** What the host pays, from which day on: #operacao/contratos */
export function Contracts({ hostId }: { readonly hostId: string }) {
  const loaded = useLoad(async () => (await call('listContracts', { hostId })).toReversed(), [hostId]);
  return (
    <NounList
      loaded={loaded}
      label="Contratos"
      begin={{ text: 'Novo contrato' }}
      empty={{
        title: 'Nenhum contrato ainda',
        text: 'O preço de um serviço, a partir de um dia: os relatórios calculam com ele.',
      }}
      rowOf={({ startsOn, price, services }) => ({
        id: startsOn,
        icon: FileText,
        title: `Desde ${formatDate(startsOn)}`,
        detail: `${formatPrice(price)} por serviço · ${formatCount(services, 'serviço', 'serviços')} por mês`,
        menu: [],
      })}
      form={({ item, onSaved, onClose }) => (
        <OperationForm
          of="saveContract"
          begin={{
            startsOn: item?.startsOn ?? '',
            price: item ? formatPrice(item.price) : '',
            services: item?.services ?? 0,
          }}
          isShown={field => field !== 'startsOn' || !item}
          save={async fields => {
            await call('saveContract', { hostId, ...fields, price: readAmount(fields.price) });
            onSaved();
          }}
          onCancel={onClose}
        />
      )}
    />
  );
}
