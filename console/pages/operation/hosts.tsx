import { Globe } from 'lucide';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Badge } from '../../components/badge.tsx';
import { NounList, type Row } from '../../components/noun-list.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { readPages } from '../../read-all.ts';
import { call, ofAllHosts, ofHost } from '../../service.ts';
import { useLoad } from '../../use-load.ts';

type Host = DataOf<'saveHost'>;

const PAGES = 20;

/** All hosts of the installation: #operacao/instituicoes */
export function Hosts() {
  const loaded = useLoad(async () => {
    const { items } = await readPages(of => call('listHosts', { limit: 100, ...of }, ofAllHosts), PAGES);
    return items;
  }, []);
  return (
    <NounList
      loaded={loaded}
      label="Instituições"
      begin={{ text: 'Nova instituição' }}
      empty={{ title: 'Nenhuma instituição', text: 'Crie a primeira.' }}
      rowOf={rowOf}
      form={({ item, onSaved, onClose }) => {
        const form = { onCancel: onClose };
        if (!item)
          return (
            <OperationForm
              {...form}
              of="createHost"
              begin={{ name: '', slug: '' }}
              text="Criar instituição"
              save={async fields => {
                await call('createHost', fields, ofAllHosts);
                onSaved();
              }}
            />
          );
        const { name, share, maxChunks, chunkSizeLimit, bursts, mask, maskImages, keepAttachments } = item;
        const { files_quota_mb, return_after_minutes, turns_per_person_per_hour, window_hours } = item;
        return (
          <OperationForm
            {...form}
            of="saveHost"
            begin={{
              name,
              share,
              maxChunks,
              chunkSizeLimit,
              bursts,
              turns_per_person_per_hour,
              return_after_minutes,
              'window_hours.whatsapp': String(window_hours['whatsapp'] ?? ''),
              mask,
              maskImages,
              keepAttachments,
              files_quota_mb,
            }}
            isShown={(field, { mask: masks }) => field !== 'maskImages' || masks}
            save={async ({ 'window_hours.whatsapp': hours, ...fields }) => {
              const { whatsapp: _, ...others } = window_hours;
              const changed = hours === '' ? others : { ...others, whatsapp: Number(hours) };
              await call('saveHost', { hostId: item.id, ...fields, window_hours: changed }, ofHost(item.id));
              onSaved();
            }}
          />
        );
      }}
    />
  );
}

function rowOf({ id, slug, name, share, maxChunks, disabled }: Host): Row {
  const save = (change: object) => call('saveHost', { hostId: id, ...change }, ofHost(id));
  return {
    id,
    icon: Globe,
    title: name,
    detail: `${slug} · peso ${share} · até ${maxChunks} passagens por resposta`,
    aside: disabled && <Badge tone="bad">Suspensa</Badge>,
    menu: disabled
      ? [{ text: 'Retomar', run: () => save({ disabled: false }), done: `${name} volta de onde parou` }]
      : [
          {
            text: 'Suspender',
            isDangerous: true,
            question: {
              title: `Suspender ${name}?`,
              text: 'Tokens, sessões e origens dela são recusados, e entregas e importações esperam. Nada é excluído.',
              action: 'Suspender',
            },
            run: () => save({ disabled: true }),
            done: `${name} está suspensa`,
          },
        ],
  };
}
