import { useState } from 'preact/hooks';
import { Drawer } from '../../components/drawer.tsx';
import { Field, SelectField } from '../../components/field.tsx';
import { ListRow } from '../../components/list-row.tsx';
import { SmallButton } from '../../components/small-button.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { formatMoment } from '../../format.ts';
import { readPages } from '../../read-all.ts';
import { call } from '../../service.ts';
import { useLoad } from '../../use-load.ts';
import { actorKinds, describeEntry, type Entry, listChanges, operationNames } from './audit-words.ts';

const DAY_MS = 86_400_000;
const none = { operation: '', since: '', lastDay: '' };

/** The changes of the configuration of the host with their authors, newest first. */
export function Audit({ hostId }: { readonly hostId: string }) {
  const [filter, setFilter] = useState(none);
  const [pages, setPages] = useState(1);
  const [open, setOpen] = useState<Entry>();
  const { operation, since, lastDay } = filter;
  const { data, error, isLoading, reload } = useLoad(() => {
    const wanted = {
      ...(operation && { operation }),
      ...(since && { since }),
      // The last day counts as a whole.
      ...(lastDay && { until: new Date(Date.parse(lastDay) + DAY_MS).toISOString().slice(0, 10) }),
    };
    return readPages(of => call('listAudit', { hostId, limit: 25, ...wanted, ...of }), pages);
  }, [operation, since, lastDay, pages]);
  return (
    <div class="stack">
      <AuditFilter
        filter={filter}
        onChange={next => {
          setFilter(next);
          setPages(1);
        }}
      />
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton label="Carregando a auditoria" />}
      {data?.items.length === 0 && (
        <EmptyState title="Nenhuma mudança" text="O que alguém muda nas configurações aparece aqui." />
      )}
      {data && data.items.length > 0 && (
        <ul class="list" aria-label="Mudanças">
          {data.items.map(entry => (
            <ListRow
              key={entry.auditId}
              title={describeEntry(entry)}
              detail={summarize(entry)}
              aside={formatMoment(entry.createdAt)}
              onOpen={() => setOpen(entry)}
            />
          ))}
        </ul>
      )}
      {data?.hasMore && (
        <SmallButton text="Mais mudanças" isBusy={isLoading} onClick={() => setPages(pages + 1)} />
      )}
      {open && <EntryDrawer entry={open} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

/** Names the changed fields; for a new or deleted row, the kind of its author. */
function summarize(entry: Entry): string {
  if (entry.before === null || entry.after === null) return actorKinds[entry.actorKind];
  return listChanges(entry)
    .map(({ column }) => column)
    .join(', ');
}

function AuditFilter(props: {
  readonly filter: typeof none;
  readonly onChange: (filter: typeof none) => void;
}) {
  const { filter, onChange } = props;
  const day = (label: string, name: 'since' | 'lastDay') => (
    <Field label={label}>
      {field => (
        <input
          {...field}
          type="date"
          value={filter[name]}
          onInput={event => onChange({ ...filter, [name]: event.currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <div class="pair">
      <SelectField
        label="O que foi feito"
        value={filter.operation}
        choices={operationNames}
        onChange={operation => onChange({ ...filter, operation })}
      />
      {day('De', 'since')}
      {day('Até', 'lastDay')}
    </div>
  );
}

function EntryDrawer({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) {
  const { actorKind, createdAt, operation } = entry;
  return (
    <Drawer title={describeEntry(entry)} onClose={onClose}>
      <p class="small">
        {formatMoment(createdAt)} · {actorKinds[actorKind]} · <code>{operation}</code>
      </p>
      {listChanges(entry).map(({ column, before, after }) => (
        <section key={column} class="stack" aria-label={column}>
          <h3>{column}</h3>
          <dl class="field-list">
            <dt>Antes</dt>
            <dd>{before}</dd>
            <dt>Depois</dt>
            <dd>{after}</dd>
          </dl>
        </section>
      ))}
    </Drawer>
  );
}
