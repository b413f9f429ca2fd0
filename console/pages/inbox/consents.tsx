import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Badge } from '../../components/badge.tsx';
import { Field } from '../../components/field.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { SmallButton } from '../../components/small-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { isLost } from '../../errors.ts';
import { formatMoment } from '../../format.ts';
import { hexOf } from '../../keys.ts';
import { call } from '../../service.ts';
import { useLoad } from '../../use-load.ts';
import { nameChannel } from './conversation.ts';
import { feed } from './feed.ts';

type Consent = DataOf<'listConsents'>[number];
type Said = Pick<Consent, 'version' | 'textDigest' | 'channel' | 'withdrawn'>;

const nothingSaid: Said = { version: '', textDigest: '', channel: 'telefone', withdrawn: false };

/** The newest word of the person to each version of a text, and a form for what they tell staff. */
export function Consents({ conversationId }: { readonly conversationId: string }) {
  const person = { hostId: feed.peek()?.hostId ?? '', conversationId };
  const { data, error, reload } = useLoad(() => call('listConsents', person), [conversationId]);
  const [begun, begin] = useState<Said>();
  // The dialogue beside it tells that the connection is lost, and this is read again when it is back.
  if (error !== undefined && !isLost(error)) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return null;
  const beginWith = ({ version, textDigest }: Pick<Said, 'version' | 'textDigest'>, withdrawn: boolean) =>
    begin({ ...nothingSaid, version, textDigest, withdrawn });
  return (
    <section class="contact-part" aria-label="Consentimentos">
      <h3>Consentimentos</h3>
      {data.length > 0 && (
        <ul class="contact-consents">
          {data.map(consent => (
            <ConsentRow key={consent.version} {...consent} onWithdraw={() => beginWith(consent, true)} />
          ))}
        </ul>
      )}
      {begun ? (
        <ConsentForm
          key={`${begun.version} ${begun.withdrawn}`}
          begun={begun}
          known={data}
          save={async said => {
            await call('saveConsent', { ...person, ...said });
            begin(undefined);
            reload();
          }}
          onCancel={() => begin(undefined)}
        />
      ) : (
        <p>
          <SmallButton
            text="Registrar o que disse"
            isBusy={false}
            onClick={() => beginWith(data[0] ?? nothingSaid, false)}
          />
        </p>
      )}
    </section>
  );
}

function ConsentForm(props: {
  readonly begun: Said;
  readonly known: readonly Consent[];
  readonly save: (said: Said) => Promise<void>;
  readonly onCancel: () => void;
}) {
  const [pasted, paste] = useState('');
  const text = pasted.trim();
  return (
    <OperationForm
      of="saveConsent"
      begin={props.begun}
      isShown={name => name !== 'textDigest' || text === ''}
      changeWith={({ version }) => {
        const known = props.known.find(each => each.version === version?.trim());
        return known ? { textDigest: known.textDigest } : {};
      }}
      save={async said =>
        props.save({ ...said, textDigest: text === '' ? said.textDigest : await digestOf(text) })
      }
      onCancel={props.onCancel}
    >
      {window.isSecureContext && (
        <Field label="Ou o próprio texto" hint="Cole-o: só o SHA-256 dele é guardado.">
          {field => (
            <textarea
              {...field}
              rows={3}
              value={pasted}
              onInput={event => paste(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
    </OperationForm>
  );
}

/** Without TLS, browsers offer no digests, and the form takes no text. */
async function digestOf(text: string): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}

function ConsentRow({
  version,
  channel,
  at,
  withdrawn,
  onWithdraw,
}: Consent & { readonly onWithdraw: () => void }) {
  return (
    <li>
      <span>
        {`Versão ${version}`}{' '}
        {withdrawn ? <Badge tone="warn">Retirado</Badge> : <Badge tone="good">Dado</Badge>}
      </span>
      <span class="small">
        {nameChannel(channel)}, {formatMoment(at)}
      </span>
      {!withdrawn && (
        <button
          type="button"
          class="quiet slim"
          aria-label={`Retirar a versão ${version}`}
          onClick={onWithdraw}
        >
          Retirar
        </button>
      )}
    </li>
  );
}
