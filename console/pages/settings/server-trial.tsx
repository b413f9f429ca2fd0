import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Badge } from '../../components/badge.tsx';
import { Drawer } from '../../components/drawer.tsx';
import { Field } from '../../components/field.tsx';
import { PassageText } from '../../components/passage-text.tsx';
import { ActionNote } from '../../components/states.tsx';
import { callHelper, createConversation, type Host } from '../../service.ts';
import type { Avatar } from '../../shell/session.ts';
import { useAction } from '../../use-action.ts';
import { TRIAL_PLATFORM } from '../inbox/conversation.ts';
import type { Server } from './server-form.tsx';

type Turn = DataOf<'reason'>;
type Call = Turn['restStatus'][number];

/** Rehearses the assistant of a server: says whether its tools could be listed, and how their calls ended. */
export function ServerTrial(props: {
  readonly host: Host;
  readonly avatars: readonly Avatar[];
  readonly server: Server;
  readonly onClose: () => void;
}) {
  const { host, avatars, server, onClose } = props;
  const [question, setQuestion] = useState('Que ferramentas você tem?');
  const [turn, setTurn] = useState<Turn>();
  const asking = useAction();
  const avatar = avatars.find(({ avatar_id }) => avatar_id === server.avatarId);
  const ask = async () => {
    setTurn(undefined);
    const conversationId = await createConversation(host, TRIAL_PLATFORM);
    const place = { hostId: host.host_id, conversationId, subSlug: avatar?.sub_slug };
    setTurn(await callHelper('', { ...place, question, reasoningConfig: { rehearsal: true } }));
  };
  return (
    <Drawer title={`Testar ${server.name}`} onClose={onClose}>
      <p class="small">
        {avatar?.avatar_name} responde em um ensaio. As ferramentas rodam de verdade, e o modelo é pago como
        em uma conversa.
      </p>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault();
          asking.run(ask);
        }}
      >
        <Field label="Pergunta" hint="De preferência uma que precise de uma ferramenta dele.">
          {field => (
            <textarea
              {...field}
              required
              rows={2}
              maxLength={2_000}
              value={question}
              onInput={event => setQuestion(event.currentTarget.value)}
            />
          )}
        </Field>
        <ActionNote of={asking} />
        <div class="buttons">
          <button type="submit" aria-busy={asking.isBusy}>
            Perguntar
          </button>
        </div>
      </form>
      <div role="status">{turn && <Outcome server={server} turn={turn} />}</div>
    </Drawer>
  );
}

function Outcome({ server: { name }, turn }: { readonly server: Server; readonly turn: Turn }) {
  const prefix = `mcp:${name}`;
  const listing = turn.restStatus.find(each => each.name === prefix);
  const calls = turn.restStatus.filter(each => each.name.startsWith(`${prefix}:`));
  const isListed = listing === undefined || listing.status === 200;
  return (
    <section class="stack" aria-label="Resultado">
      <h3>Resultado</h3>
      <p>
        <Badge tone={isListed ? 'good' : 'bad'}>{isListed ? 'Ferramentas lidas' : 'Sem ferramentas'}</Badge>{' '}
        {listing && describeError(listing)}
      </p>
      {calls.length === 0 && isListed && <p class="small">Nenhuma ferramenta dele foi chamada.</p>}
      {calls.length > 0 && (
        <ul>
          {calls.map((each, at) => (
            <li key={at}>
              <code>{each.name.slice(prefix.length + 1)}</code>: {describeError(each) || 'respondeu'} em{' '}
              {Math.round(each.durationMs).toLocaleString('pt-BR')} ms
            </li>
          ))}
        </ul>
      )}
      <div class="passage-text">
        <PassageText content={turn.assistantResponse.string || 'Sem texto.'} />
      </div>
    </section>
  );
}

const errorTexts = new Map([
  ['not allowed', 'o endereço não é permitido'],
  ['secrets must be saved again', 'os cabeçalhos precisam ser escritos de novo'],
  ['no valid TLS', 'o TLS ou o certificado do endereço não vale'],
  ['answer too large', 'a resposta é grande demais'],
  ['no answer in time', 'não respondeu a tempo'],
  ['the server reported an error', 'o servidor disse que houve um erro'],
  ['the tool reported an error', 'a ferramenta disse que houve um erro'],
  ['unreadable answer', 'a resposta não pôde ser lida'],
  ['no connection', 'sem conexão com o servidor'],
  ['redirected to another address', 'o sistema leva a outro endereço'],
  ['the arguments cannot be sent', 'os argumentos não servem'],
]);

/** Empty if there was no error. */
export function describeError({ error, status }: Pick<Call, 'error' | 'status'>): string {
  if (!error) return '';
  const [, left, all] = /^(\d+) of (\d+) tools left out$/.exec(error) ?? [];
  if (left) return `${left} de ${all} ferramentas não couberam`;
  return errorTexts.get(error) ?? (status > 0 ? `recusou com ${status}` : error);
}
