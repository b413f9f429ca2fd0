import { useState } from 'preact/hooks';
import { Drawer } from '../../components/drawer.tsx';
import { CheckField, Field, NameField } from '../../components/field.tsx';
import { ActionNote } from '../../components/states.tsx';
import { call } from '../../service.ts';
import { useAction } from '../../use-action.ts';
import { eventTypes, type Webhook } from './event-types.ts';

type Wanted = Webhook['events'][number];
const choices = Object.entries(eventTypes) as [Wanted, string][];

/** A webhook to change, or a new one. */
export function WebhookForm({
  hostId,
  webhook,
  onSaved,
  onClose,
}: {
  readonly hostId: string;
  /** Absent for a new one. */
  readonly webhook?: Webhook;
  readonly onSaved: (webhook: Webhook) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(webhook?.name ?? '');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<readonly Wanted[]>(webhook?.events ?? []);
  const saving = useAction();
  const save = async () => {
    const fields = { hostId, name: name.trim(), url: url.trim(), events: [...events] };
    onSaved(await call('saveWebhook', webhook ? { ...fields, id: webhook.webhookId } : fields));
  };
  return (
    <Drawer title={webhook ? `Editar ${webhook.name}` : 'Novo webhook'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault();
          saving.run(save);
        }}
      >
        <WebhookTarget name={name} url={url} onName={setName} onUrl={setUrl} />
        <fieldset>
          <legend>O que enviar</legend>
          {choices.map(([type, label]) => (
            <CheckField
              key={type}
              label={label}
              isChecked={events.includes(type)}
              onChange={isChecked => setEvents(withEvent(events, type, isChecked))}
            />
          ))}
        </fieldset>
        <ActionNote of={saving} />
        <div class="buttons">
          <button type="submit" aria-busy={saving.isBusy}>
            {webhook ? 'Salvar' : 'Criar webhook'}
          </button>
          <button type="button" class="quiet" onClick={onClose}>
            Cancelar
          </button>
        </div>
      </form>
    </Drawer>
  );
}

/** Keeps the order of the choices, however they were made. */
const withEvent = (events: readonly Wanted[], type: Wanted, isWanted: boolean): Wanted[] =>
  choices.map(([each]) => each).filter(each => (each === type ? isWanted : events.includes(each)));

function WebhookTarget({
  name,
  url,
  onName,
  onUrl,
}: {
  readonly name: string;
  readonly url: string;
  readonly onName: (name: string) => void;
  readonly onUrl: (url: string) => void;
}) {
  return (
    <>
      <NameField label="Nome" hint="Do sistema que é avisado." value={name} onInput={onName} />
      <Field label="Endereço">
        {field => (
          <input
            {...field}
            type="url"
            required
            placeholder="https://"
            value={url}
            onInput={event => onUrl(event.currentTarget.value)}
          />
        )}
      </Field>
    </>
  );
}
