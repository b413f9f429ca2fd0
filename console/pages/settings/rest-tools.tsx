import { Webhook } from 'lucide';
import { useState } from 'preact/hooks';
import type { BodyOf, DataOf } from '../../../queues/contract/operations/index.ts';
import { EnabledBadge, type FormOfItem, NounList, type Row } from '../../components/noun-list.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { EmptyState } from '../../components/states.tsx';
import { readObject } from '../../read-object.ts';
import { call } from '../../service.ts';
import type { Avatar, SessionContext } from '../../shell/session.ts';
import { useLoad } from '../../use-load.ts';
import { type Description, DescriptionForm, FunctionChoice, firstChosenOf } from './rest-description.tsx';
import { RestTrial } from './rest-trial.tsx';

type Tool = DataOf<'listRestTools'>[number];
type Functions = NonNullable<BodyOf<'saveRestTool'>['functions']>;

/** The systems whose functions the assistants may call. */
export function RestTools(props: { readonly hostId: string; readonly context: SessionContext }) {
  const { hostId } = props;
  const { avatars } = props.context;
  const loaded = useLoad(() => call('listRestTools', { hostId }), [hostId]);
  const [tried, setTried] = useState<Tool>();
  const rowOf = (tool: Tool): Row => {
    const { toolId, name, enabled, avatarId, baseURL, functions } = tool;
    const save = (change: object) => call('saveRestTool', { hostId, toolId, ...change });
    return {
      id: toolId,
      icon: Webhook,
      title: name,
      detail: (
        <>
          <code>{baseURL}</code>
          <br />
          {avatars.find(({ avatar_id }) => avatar_id === avatarId)?.avatar_name}:{' '}
          {functions.map(each => each.name).join(', ')}
        </>
      ),
      aside: <EnabledBadge enabled={enabled} />,
      button: { text: 'Testar', run: () => setTried(tool) },
      menu: [
        { text: enabled ? 'Pausar' : 'Retomar', run: () => save({ enabled: !enabled }) },
        {
          text: 'Excluir ferramenta',
          isDangerous: true,
          question: deletionOf(name),
          run: () => save({ deleted: true }),
          done: 'Ferramenta excluída',
        },
      ],
    };
  };
  if (avatars.length === 0)
    return <EmptyState title="Ainda não há um assistente" text="Uma ferramenta é usada por um assistente." />;
  return (
    <NounList
      loaded={loaded}
      label="Ferramentas REST"
      begin={{ text: 'Nova ferramenta' }}
      empty={noTools}
      rowOf={rowOf}
      form={form => <ToolForms hostId={hostId} avatars={avatars} {...form} />}
    >
      {tried && <RestTrial tool={tried} onClose={() => setTried(undefined)} />}
    </NounList>
  );
}

interface FormProps extends FormOfItem<Tool> {
  readonly hostId: string;
  readonly avatars: readonly Avatar[];
}

/** Functions come from an OpenAPI file, or are written out. */
function ToolForms(props: FormProps) {
  const [description, setDescription] = useState<Description>();
  return (
    <>
      <details open={!props.item}>
        <summary>Ler as funções de um arquivo OpenAPI</summary>
        <DescriptionForm hostId={props.hostId} onRead={setDescription} />
      </details>
      <ToolForm key={description?.openapi} {...props} description={description} />
    </>
  );
}

/** A tool to change, or a new one. Its secrets are never shown: `***` keeps them. */
function ToolForm(props: FormProps & { readonly description: Description | undefined }) {
  const { hostId, avatars, item: tool, description } = props;
  const [chosen, choose] = useState(description ? firstChosenOf(description) : []);
  const missing = [description?.auth[0] ?? []].flat()[0]?.missing ?? [];
  const save = async (typed: Draft) => {
    const { name, avatarId, baseURL, unmasked } = typed;
    const fields = { hostId, name, avatarId, baseURL, unmasked, auth: authOf(typed) };
    const functions = description
      ? { openapi: description.openapi, operations: [...chosen] }
      : { functions: readObject('functions.text', typed['functions.text']) as unknown as Functions };
    await call('saveRestTool', { ...fields, ...functions, ...(tool && { toolId: tool.toolId }) });
    props.onSaved();
  };
  return (
    <OperationForm
      of="saveRestTool"
      begin={draftOf(tool, avatars, description)}
      choices={{ avatarId: avatars.map(({ avatar_id, avatar_name }) => [avatar_id, avatar_name] as const) }}
      isShown={(field, typed) => (field === 'functions.text' ? !description : isAuthShown(field, typed))}
      text={tool ? 'Salvar' : 'Criar ferramenta'}
      save={save}
      onCancel={props.onClose}
    >
      {missing.length > 0 && (
        <p class="trouble" role="status">
          {`O arquivo pede também ${missing.join(', ')}, que uma ferramenta não envia: o sistema pode recusar as chamadas.`}
        </p>
      )}
      {description && <FunctionChoice description={description} chosen={chosen} onChange={choose} />}
    </OperationForm>
  );
}

const places = ['auth', 'auth[1]', 'auth[2]'] as const;
const parts = ['kind', 'name', 'user', 'secret'] as const;
type Place = (typeof places)[number];
type Part = (typeof parts)[number];

function draftOf(tool: Tool | undefined, avatars: readonly Avatar[], description?: Description) {
  const given: Partial<SignIn>[] = [tool?.auth ?? description?.auth[0] ?? []].flat();
  const fields = places.flatMap((place, at) =>
    parts.map(part => [`${place}.${part}`, given[at]?.[part] ?? (part === 'kind' ? 'none' : '')]),
  );
  return {
    name: tool?.name ?? '',
    avatarId: tool?.avatarId ?? avatars[0]?.avatar_id ?? '',
    baseURL: tool?.baseURL ?? description?.baseURLs.find(url => !url.startsWith('/')) ?? '',
    ...(Object.fromEntries(fields) as Record<`${Place}.${Part}`, string>),
    'functions.text': JSON.stringify(tool?.functions ?? begun, null, 2),
    unmasked: tool?.unmasked ?? false,
  };
}

type Draft = ReturnType<typeof draftOf>;
type SignIn = Exclude<Tool['auth'], readonly unknown[]>;

const isUsed = (typed: Draft, place: Place | undefined) =>
  place !== undefined && typed[`${place}.kind`] !== 'none';
/** Only some ways to sign in have a name, or a user. */
function hasPart(typed: Draft, place: Place, part: Part) {
  const kind = typed[`${place}.kind`];
  if (part === 'name') return kind === 'header' || kind === 'query';
  return part === 'user' ? kind === 'basic' : part === 'kind' || kind !== 'none';
}

/** A further secret can be chosen below one that is used. */
function isAuthShown(field: string, typed: Draft) {
  const [place, part] = field.split('.') as [Place, Part];
  const at = places.indexOf(place);
  const isOpen = at === 0 || isUsed(typed, place) || isUsed(typed, places[at - 1]);
  return at < 0 || (isOpen && hasPart(typed, place, part));
}

function authOf(typed: Draft): Tool['auth'] {
  const signIns = places
    .filter(place => isUsed(typed, place))
    .map(place =>
      Object.fromEntries(
        parts.filter(part => hasPart(typed, place, part)).map(part => [part, typed[`${place}.${part}`]]),
      ),
    ) as unknown as SignIn[];
  return signIns.length > 1 ? signIns : (signIns[0] ?? { kind: 'none' });
}

/** What a new tool begins with. */
const begun: Functions = [
  {
    name: 'boletos',
    description: 'Boletos em aberto de um aluno.',
    method: 'GET',
    path: '/boletos/{cpf}',
    arguments: { type: 'object', properties: { cpf: { type: 'string' } }, required: ['cpf'] },
  },
];

const noTools = {
  title: 'Nenhuma ferramenta REST ainda',
  text: 'Com ela um assistente consulta um sistema que já existe: boletos, matrículas, horários.',
};

const deletionOf = (name: string) => ({
  title: `Excluir “${name}”?`,
  text: 'O assistente não chama mais as funções dela a partir da próxima pergunta, e o segredo é apagado.',
  action: 'Excluir ferramenta',
});
