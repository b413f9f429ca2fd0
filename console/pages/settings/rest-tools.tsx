import { Webhook } from 'lucide';
import type { BodyOf, DataOf } from '../../../queues/contract/operations/index.ts';
import { EnabledBadge, NounList, type Row } from '../../components/noun-list.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { EmptyState } from '../../components/states.tsx';
import { readObject } from '../../read-object.ts';
import { call } from '../../service.ts';
import type { Avatar, SessionContext } from '../../shell/session.ts';
import { useLoad } from '../../use-load.ts';

type Tool = DataOf<'listRestTools'>[number];
type Functions = BodyOf<'saveRestTool'>['functions'];

/** The systems whose functions the assistants may call. */
export function RestTools(props: { readonly hostId: string; readonly context: SessionContext }) {
  const { hostId } = props;
  const { avatars } = props.context;
  const loaded = useLoad(() => call('listRestTools', { hostId }), [hostId]);
  const rowOf = ({ toolId, name, enabled, avatarId, baseURL, functions }: Tool): Row => {
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
      form={({ item, ...rest }) => <ToolForm hostId={hostId} avatars={avatars} tool={item} {...rest} />}
    />
  );
}

/** A tool to change, or a new one. Its secret is never shown: `***` keeps it. */
function ToolForm(props: {
  readonly hostId: string;
  readonly avatars: readonly Avatar[];
  /** Undefined for a new one. */
  readonly tool: Tool | undefined;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const { hostId, avatars, tool } = props;
  const save = async (typed: Draft) => {
    const { name, avatarId, baseURL, unmasked } = typed;
    const fields = { hostId, name, avatarId, baseURL, unmasked, auth: authOf(typed) };
    const functions = readObject(
      'functions.text',
      typed['functions.text'],
    ) as unknown as NonNullable<Functions>;
    await call('saveRestTool', { ...fields, functions, ...(tool && { toolId: tool.toolId }) });
    props.onSaved();
  };
  return (
    <OperationForm
      of="saveRestTool"
      begin={draftOf(tool, avatars)}
      choices={{ avatarId: avatars.map(({ avatar_id, avatar_name }) => [avatar_id, avatar_name] as const) }}
      isShown={(field, typed) => kinds[field]?.includes(typed['auth.kind']) ?? true}
      text={tool ? 'Salvar' : 'Criar ferramenta'}
      save={save}
      onCancel={props.onClose}
    />
  );
}

/** Fields that only some ways to sign in have. */
const kinds: Readonly<Partial<Record<keyof Draft, readonly string[]>>> = {
  'auth.name': ['header', 'query'],
  'auth.user': ['basic'],
  'auth.secret': ['bearer', 'basic', 'header', 'query'],
};

function draftOf(tool: Tool | undefined, avatars: readonly Avatar[]) {
  const { kind, name = '', user = '', secret = '' } = tool?.auth ?? { kind: 'none' as const };
  return {
    name: tool?.name ?? '',
    avatarId: tool?.avatarId ?? avatars[0]?.avatar_id ?? '',
    baseURL: tool?.baseURL ?? '',
    'auth.kind': kind as string,
    'auth.name': name,
    'auth.user': user,
    'auth.secret': secret,
    'functions.text': JSON.stringify(tool?.functions ?? begun, null, 2),
    unmasked: tool?.unmasked ?? false,
  };
}

type Draft = ReturnType<typeof draftOf>;

function authOf(typed: Draft) {
  const kind = typed['auth.kind'];
  const shown = Object.entries(kinds).filter(([, among]) => among.includes(kind));
  const fields = shown.map(([field]) => [field.slice('auth.'.length), typed[field as 'auth.name']]);
  return { kind: kind as Tool['auth']['kind'], ...Object.fromEntries(fields) };
}

/** What a new tool begins with. */
const begun: NonNullable<Functions> = [
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
