import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Badge } from '../../components/badge.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { SmallButton } from '../../components/small-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { isLost } from '../../errors.ts';
import { formatMoment } from '../../format.ts';
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
  const digestOf = (version: string) => data.find(each => each.version === version.trim())?.textDigest;
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
        <OperationForm
          key={`${begun.version} ${begun.withdrawn}`}
          of="saveConsent"
          begin={begun}
          changeWith={({ version }) => {
            const textDigest = version === undefined ? undefined : digestOf(version);
            return textDigest === undefined ? {} : { textDigest };
          }}
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
