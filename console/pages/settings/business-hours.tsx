import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { CheckField, Field, SelectField } from '../../components/field.tsx';
import { ActionNote, EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call, getSession, ServiceError, setSession } from '../../service.ts';
import { useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';

export type HostSettings = DataOf<'saveHost'>;

type Range = HostSettings['businessHours'][number];

const weekdays = ['seg', 'ter', 'qua', 'qui', 'sex', 'sáb', 'dom'] as const;
const allDays = weekdays.map((_, at) => at + 1);
const workdays = allDays.slice(0, 5);

/** When the team attends, in the time zone of the host. */
export function BusinessHours({ hostId }: { readonly hostId: string }) {
  const { data, error, reload } = useLoad(() => readHostSettings(hostId), [hostId]);
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Skeleton rows={3} label="Carregando o horário" />;
  return <HoursForm host={data} />;
}

function HoursForm({ host }: { readonly host: HostSettings }) {
  const [ranges, setRanges] = useState<readonly Range[]>(host.businessHours.map(withoutMidnight));
  const [timeZone, setTimeZone] = useState(host.timeZone);
  const [isChecked, setChecked] = useState(false);
  const saving = useAction();
  const save = async () => {
    await call('saveHost', { hostId: host.id, businessHours: [...ranges], timeZone });
    const session = getSession();
    if (session) setSession({ ...session, host: { ...session.host, time_zone: timeZone } });
    showToast('Horário salvo');
  };
  return (
    <form
      class="stack"
      onSubmit={event => {
        event.preventDefault();
        setChecked(true);
        if (ranges.every(({ days }) => days.length > 0)) saving.run(save);
      }}
    >
      <SelectField label="Fuso horário" value={timeZone} choices={listZones(host)} onChange={setTimeZone} />
      {ranges.length === 0 && (
        <EmptyState title="Nenhum horário" text="Sem horário, a equipe conta como sempre fechada." />
      )}
      {ranges.map((range, at) => (
        <RangeFields
          key={at}
          title={`Horário ${at + 1}`}
          range={range}
          isChecked={isChecked}
          onChange={changed => setRanges(ranges.with(at, changed))}
          onRemove={() => setRanges(ranges.toSpliced(at, 1))}
        />
      ))}
      <ActionNote of={saving} />
      <div class="buttons">
        <button type="submit" aria-busy={saving.isBusy}>
          Salvar
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => setRanges([...ranges, { days: workdays, from: '08:00', to: '18:00' }])}
        >
          Adicionar horário
        </button>
      </div>
      <p class="small">Depois de uma mudança, os relatórios são contados de novo, o que pode demorar.</p>
    </form>
  );
}

function RangeFields(props: {
  readonly title: string;
  readonly range: Range;
  /** Whether errors are shown. */
  readonly isChecked: boolean;
  readonly onChange: (range: Range) => void;
  readonly onRemove: () => void;
}) {
  const { title, range, isChecked, onChange, onRemove } = props;
  const { days, from, to } = range;
  const choose = (day: number, isOpen: boolean) =>
    onChange({ ...range, days: allDays.filter(each => (each === day ? isOpen : days.includes(each))) });
  return (
    <fieldset class="card">
      <legend>{title}</legend>
      <div class="stack">
        <div class="buttons">
          {weekdays.map((text, at) => (
            <CheckField
              key={text}
              label={text}
              isChecked={days.includes(at + 1)}
              onChange={isOpen => choose(at + 1, isOpen)}
            />
          ))}
        </div>
        {isChecked && days.length === 0 && (
          <p class="trouble" role="alert">
            {title}: escolha ao menos um dia
          </p>
        )}
        <div class="pair">
          <Time label="Das" value={from} onInput={value => onChange({ ...range, from: value })} />
          <Time
            label="Até"
            {...(to <= from ? { hint: 'No dia seguinte.' } : {})}
            value={to}
            onInput={value => onChange({ ...range, to: value })}
          />
        </div>
        <div class="buttons">
          <button
            type="button"
            class="quiet slim"
            aria-label={`Tirar ${title.toLowerCase()}`}
            onClick={onRemove}
          >
            Tirar
          </button>
        </div>
      </div>
    </fieldset>
  );
}

function Time(props: {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  const { label, hint, value, onInput } = props;
  return (
    <Field label={label} {...(hint ? { hint } : {})}>
      {field => (
        <input
          {...field}
          type="time"
          required
          value={value}
          onInput={event => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A time field has no 24:00: an end that is not after the beginning is on the next day, so 00:00 is the same. */
const withoutMidnight = (range: Range): Range => (range.to === '24:00' ? { ...range, to: '00:00' } : range);

/** The zone of the host is listed even if this browser does not know it. */
function listZones({ timeZone }: HostSettings): (readonly [string, string])[] {
  const known = new Set([timeZone, ...Intl.supportedValuesOf('timeZone')]);
  return [...known].toSorted().map(zone => [zone, zone.replaceAll('_', ' ')] as const);
}

/** Only operators may call this. */
export async function readHostSettings(hostId: string): Promise<HostSettings> {
  // The session has chosen its host, so the list has only that one.
  const { items } = await call('listHosts', { limit: 50 });
  const host = items.find(({ id }) => id === hostId);
  if (!host) throw new ServiceError(404, '', { reason: 'not-found' });
  return host;
}
