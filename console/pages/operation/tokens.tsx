import { KeyRound } from 'lucide';
import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Badge } from '../../components/badge.tsx';
import { NounList, type Row } from '../../components/noun-list.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { SecretDrawer } from '../../components/secret-drawer.tsx';
import { formatMoment } from '../../format.ts';
import { call, getSession } from '../../service.ts';
import { useLoad } from '../../use-load.ts';
import { words } from '../../words.ts';

type Token = DataOf<'listTokens'>[number];

const scopeNames = words.issueToken.scopes.choices;
const states = { expired: 'Vencido', revoked: 'Revogado' } as const;

/** The tokens of the host: #operacao/tokens */
export function Tokens({ hostId }: { readonly hostId: string }) {
  const slug = getSession()?.host.host_slug ?? '';
  const loaded = useLoad(
    async () => (await call('listTokens', {})).filter(({ hosts }) => hosts.includes(slug)).toReversed(),
    [hostId],
  );
  const [issued, show] = useState<{ readonly name: string; readonly token: string }>();
  return (
    <NounList
      loaded={loaded}
      label="Tokens"
      begin={{ text: 'Novo token' }}
      empty={{
        title: 'Nenhum token ainda',
        text: 'Com um token, um sistema da instituição chama o Parley: o CRM, o canal, o site.',
      }}
      rowOf={rowOf}
      form={({ onSaved, onClose }) => (
        <OperationForm
          of="issueToken"
          begin={{ name: '', scopes: ['reason'], expires: '365d' }}
          text="Criar token"
          save={async fields => {
            const { token } = await call('issueToken', { hostIds: [hostId], ...fields });
            onSaved();
            show({ name: fields.name, token });
          }}
          onCancel={onClose}
        />
      )}
    >
      {issued && (
        <SecretDrawer
          title={`Token “${issued.name}”`}
          noun="token"
          secret={issued.token}
          onClose={() => show(undefined)}
        >
          Com ele um sistema chama o Parley, com o que você permitiu.
        </SecretDrawer>
      )}
    </NounList>
  );
}

function rowOf({ tokenId, name, hosts, scopes, state, expiresAt, lastUsedAt }: Token): Row {
  const used = lastUsedAt ? `usado em ${formatMoment(lastUsedAt)}` : 'nunca usado';
  const ends = expiresAt ? `vale até ${formatMoment(expiresAt)}` : 'não vence';
  return {
    id: tokenId,
    icon: KeyRound,
    title: name,
    detail: (
      <>
        {scopes.map(scope => scopeNames[scope]).join(', ')}
        <br />
        {[...(hosts.length > 1 ? [`${hosts.length} instituições`] : []), ends, used].join(' · ')}
      </>
    ),
    ...(state === 'valid'
      ? {
          button: {
            text: 'Revogar',
            question: {
              title: `Revogar “${name}”?`,
              text: 'Quem o usa é recusado a partir de agora. Não há como desfazer.',
              action: 'Revogar',
            },
            run: () => call('revokeToken', { tokenId }),
            done: `“${name}” não vale mais`,
          },
        }
      : { aside: <Badge tone="warn">{states[state]}</Badge> }),
  };
}
