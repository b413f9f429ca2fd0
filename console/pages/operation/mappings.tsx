import { Plug } from 'lucide';
import { useState } from 'preact/hooks';
import type { BodyOf, DataOf } from '../../../queues/contract/operations/index.ts';
import { NounList, type Row } from '../../components/noun-list.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { describeField } from '../../error-texts.ts';
import { formatCount } from '../../format.ts';
import { readObject } from '../../read-object.ts';
import { call } from '../../service.ts';
import { useLoad } from '../../use-load.ts';

type Mapping = DataOf<'listMappings'>[number];
type Kind = Mapping['kind'];
type Tried = DataOf<'tryMapping'>;

interface KindRow {
  readonly kind: Kind;
  /** Undefined: the host has none. */
  readonly mapping: Mapping | undefined;
}

const kinds: Readonly<Record<Kind, string>> = { tickets: 'Chamados', deals: 'Negócios', objects: 'Objetos' };
const presets = { rdstation: 'RD Station', pipedrive: 'Pipedrive', hubspot: 'HubSpot' } as const;
const empty = { target: 'lead', fields: { id: 'external_id', email: 'email' }, required: ['id'] };

/** Which column each field of a CRM goes to: #operacao/mapeamentos */
export function Mappings({ hostId }: { readonly hostId: string }) {
  const loaded = useLoad(async () => {
    const stored = await call('listMappings', { hostId });
    const all = Object.keys(kinds) as Kind[];
    return all.map(kind => ({ kind, mapping: stored.find(each => each.kind === kind) }));
  }, [hostId]);
  return (
    <NounList
      loaded={loaded}
      label="Mapeamentos"
      empty={{ title: '', text: '' }}
      rowOf={row => rowOf(hostId, row)}
      form={({ item, ...form }) => item && <MappingForm {...form} {...item} hostId={hostId} />}
    />
  );
}

function rowOf(hostId: string, { kind, mapping }: KindRow): Row {
  const save = (change: Partial<BodyOf<'saveMapping'>>) => call('saveMapping', { hostId, kind, ...change });
  const fields = formatCount(Object.keys(mapping?.fields ?? {}).length, 'campo', 'campos');
  const isOwn = mapping !== undefined && mapping.version > 0;
  return {
    id: kind,
    icon: Plug,
    title: kinds[kind],
    detail: mapping
      ? `${fields} · ${isOwn ? `versão ${mapping.version}` : 'o padrão'}`
      : 'Sem mapeamento: o que chega é recusado',
    menu: [
      ...(kind === 'objects' ? Object.entries(presets) : []).map(([preset, name]) => ({
        text: `Começar com o de ${name}`,
        run: () => save({ preset: preset as keyof typeof presets }),
        done: `Os objetos são lidos como os de ${name}`,
      })),
      ...(isOwn
        ? [
            {
              text: 'Excluir mapeamento',
              isDangerous: true,
              question: {
                title: `Excluir o mapeamento de ${kinds[kind].toLowerCase()}?`,
                text: 'Chamados e negócios voltam ao padrão; objetos passam a ser recusados.',
                action: 'Excluir',
              },
              run: () => save({ deleted: true }),
              done: 'Mapeamento excluído',
            },
          ]
        : []),
    ],
  };
}

function MappingForm(
  props: KindRow & { readonly hostId: string; readonly onSaved: () => void; readonly onClose: () => void },
) {
  const { hostId, kind, mapping, onSaved, onClose } = props;
  const [tried, setTried] = useState<Tried>();
  return (
    <>
      <OperationForm
        of="saveMapping"
        begin={{ 'mapping.text': JSON.stringify(mapping ? partsOf(mapping) : empty, null, 2) }}
        save={async fields => {
          const written = readObject('mapping.text', fields['mapping.text']);
          await call('saveMapping', { hostId, kind, ...written });
          onSaved();
        }}
        onCancel={onClose}
      />
      <h3>Experimentar com o mapeamento salvo</h3>
      <OperationForm
        of="tryMapping"
        begin={{ 'record.text': '' }}
        text="Experimentar"
        save={async fields => {
          const record = readObject('record.text', fields['record.text']);
          setTried(await call('tryMapping', { hostId, kind, record }));
        }}
      />
      <div aria-live="polite" class="stack">
        {tried?.map((each, at) => (
          <TriedRecord key={at} {...each} />
        ))}
      </div>
    </>
  );
}

/** In the short forms, as a person writes it. */
function partsOf({ kind: _, version: __, fields, required, ...parts }: Mapping) {
  const short = Object.entries(fields).map(([name, { to, ...rest }]) => [
    name,
    Object.keys(rest).length > 0 ? { to, ...rest } : to,
  ]);
  const groups = required.map(group => (group.length > 1 ? group : group[0]));
  return { ...parts, fields: Object.fromEntries(short), required: groups };
}

function TriedRecord({ fields, errors, warnings }: Tried[number]) {
  return (
    <section class="card">
      <strong>{errors.length === 0 ? 'Entraria' : 'Seria recusado'}</strong>
      <ul>
        {errors.map(error => (
          <li key={error.path}>{describeField(error)}</li>
        ))}
        {warnings.map(({ field }) => (
          <li key={field}>{field}: não pode ser lido</li>
        ))}
        {fields.map(({ field, to }) => (
          <li key={field}>
            {field} → {to ?? 'guardado à parte'}
          </li>
        ))}
      </ul>
    </section>
  );
}
