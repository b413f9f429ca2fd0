import {
  type Flow,
  type FlowStep,
  findFlowForUpdate,
  listFlows as flowsOf,
  insertFlow,
  type NewFlow,
  updateFlow,
} from '../../db/assistants/flows.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { missingErrorsOf } from '../../platform/field-error.ts';
import { type Failure, failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { findStepErrors } from '../bodies/find-step-errors.ts';
import { findModelFailure, type ModelDirectory } from '../model/model-directory.ts';
import type { ChangeTrial, Handler } from '../runtime/job.ts';

type Body = BodyOf<'saveFlow'>;

export function makeSaveFlow(directory: ModelDirectory, tryChange: ChangeTrial): Handler<'saveFlow'> {
  return async job => {
    const { body, caller, hostId } = job;
    const refused = await findModelFailure(directory, { model: body.model, hostId });
    if (refused) return refused;
    const change = async (scope: HostScope): Promise<Outcome<DataOf<'saveFlow'>>> => {
      const { id } = body;
      const errors = await findStepErrors(scope, body.chainJson ?? []);
      if (errors.length > 0) return failure('body-invalid', { fields: errors });
      const saved = id
        ? await editFlow(scope, id, body, caller.tokenId)
        : await createFlow(scope, body, caller.tokenId);
      if (isFailure(saved)) return saved;
      if (!saved.deleted && !(await isWithinLimits(scope, 'flows'))) return failure('host-full');
      return { code: 200, data: flowEntryOf(saved) };
    };
    return body.evaluate
      ? tryChange(job, { change, listAvatars: scope => listAvatars(scope, body) })
      : job.commit(change);
  };
}

/** Returns the avatar that has the flow now, and the one that is to have it. */
async function listAvatars(scope: HostScope, { id, avatarId }: Body): Promise<string[]> {
  const flow = id === undefined ? undefined : await findFlowForUpdate(scope, id);
  return [flow?.avatarId, avatarId].filter(each => each !== undefined);
}

async function createFlow(scope: HostScope, body: Body, savedBy: string): Promise<Flow | Failure> {
  const flow = newFlowOf(body, savedBy);
  if (isFailure(flow)) return flow;
  return (await insertFlow(scope, flow)) ?? failure('avatar-not-found');
}

/** Fields that are left out keep their values, read under the row lock so that no concurrent save is lost. */
async function editFlow(scope: HostScope, id: string, body: Body, savedBy: string): Promise<Flow | Failure> {
  const flow = await findFlowForUpdate(scope, id);
  if (!flow) return failure('flow-not-found');
  if (body.expectedUpdatedAt !== undefined && !isTimeOf(flow, body.expectedUpdatedAt))
    return failure('flow-stale');
  return (await updateFlow(scope, id, { ...flow, ...body, savedBy })) ?? failure('avatar-not-found');
}

export function isTimeOf({ updatedAt }: Flow, expected: string): boolean {
  return Date.parse(updatedAt) === Date.parse(expected);
}

function newFlowOf(body: Body, savedBy: string): NewFlow | Failure {
  const { avatarId, decisionName, chainJson } = body;
  if (avatarId === undefined || decisionName === undefined || chainJson === undefined)
    return failure('body-invalid', { fields: missingErrorsOf({ avatarId, decisionName, chainJson }) });
  return { ...body, avatarId, decisionName, chainJson, savedBy };
}

export const listFlows: Handler<'listFlows'> = ({ body, read }) =>
  read(async scope => ({ code: 200, data: (await flowsOf(scope, body.avatarIds)).map(flowEntryOf) }));

export const listFlowTemplates: Handler<'listFlowTemplates'> = async () => ({
  code: 200,
  data: [...flowTemplates],
});

/** Returns the flow as the API shows it: its steps name their agents last. */
export function flowEntryOf<F extends { readonly chainJson: FlowStep[] }>(flow: F): F {
  const chainJson = flow.chainJson.map(({ agents, ...step }) => (agents ? { ...step, agents } : step));
  return { ...flow, chainJson };
}

type FlowTemplate = DataOf<'listFlowTemplates'>[number];
type Step = FlowTemplate['chainJson'][number];

const instruction = (description: string, content: string): Step => ({
  type: 'notification-conversation',
  description,
  content,
});

const trigger = (description: string, content: string, agentName: string, schemaName: string): Step => ({
  type: 'notification-trigger',
  description,
  content,
  agents: [{ agentName, schemaName }],
});

const handoff = (content: string): Step => ({
  type: 'handoff',
  description: 'Passar a conversa para uma pessoa da equipe',
  content,
});

const end = (content: string): Step => ({ type: 'end', description: 'Encerrar o atendimento', content });

const asksForPerson = 'A pessoa pede, com as próprias palavras, para falar com um atendente humano.';

const reception: FlowTemplate = {
  promptTemplateName: 'recepcao',
  description: 'Recebe quem chega, entende o que procura e responde ou encaminha.',
  model: '',
  chainJson: [
    {
      type: 'message',
      description: 'Boas-vindas, uma vez por conversa',
      content: 'Olá! Sou a assistente virtual e vou ajudar você por aqui.',
      canRepeat: false,
    },
    instruction(
      'Entender o pedido',
      'Se não estiver claro o que a pessoa procura, faça uma única pergunta curta para entender: matrícula, financeiro, vida acadêmica ou outro assunto.',
    ),
    instruction(
      'Oferecer ajuda',
      'Quando o pedido estiver resolvido, pergunte em uma frase se a pessoa precisa de mais alguma coisa.',
    ),
    handoff(asksForPerson),
    end('A pessoa se despede ou diz que não precisa de mais nada.'),
  ],
};

const leadQualification: FlowTemplate = {
  promptTemplateName: 'qualificacao_de_lead',
  description: 'Conhece quem quer estudar, tira as dúvidas e registra o interesse com os dados de contato.',
  model: '',
  chainJson: [
    instruction(
      'Descobrir o curso',
      'Quando a pessoa demonstrar interesse em estudar, descubra, uma pergunta por vez, o curso, a unidade e a modalidade (presencial ou a distância) que ela procura.',
    ),
    instruction(
      'Pedir o contato',
      'Depois de responder às dúvidas sobre o curso, pergunte o nome e o e-mail ou telefone da pessoa, se ainda não forem conhecidos, e diga para que servem.',
    ),
    trigger(
      'Registrar o interesse',
      'A pessoa disse que curso quer fazer e deixou o nome e um contato.',
      'registrar_interesse',
      'interesse',
    ),
    handoff('A pessoa quer negociar bolsa ou desconto, ou pede para falar com um consultor.'),
  ],
};

const paymentCopy: FlowTemplate = {
  promptTemplateName: 'segunda_via_de_boleto',
  description: 'Identifica o aluno e pede a segunda via do boleto da mensalidade.',
  model: '',
  chainJson: [
    instruction(
      'Identificar o aluno',
      'Quando a pessoa pedir a segunda via de um boleto, pergunte o CPF do aluno e o mês da mensalidade, se ainda não tiverem sido informados.',
    ),
    instruction(
      'Cuidar dos dados',
      'Nunca escreva linhas digitáveis, códigos Pix ou valores que não tenha recebido, e não repita o CPF inteiro.',
    ),
    trigger(
      'Pedir a segunda via',
      'A pessoa pediu a segunda via de um boleto e informou o CPF e o mês.',
      'segunda_via_boleto',
      'boleto',
    ),
    handoff('A pessoa contesta o valor cobrado ou quer negociar parcelas em atraso.'),
  ],
};

const humanHandover: FlowTemplate = {
  promptTemplateName: 'atendimento_humano',
  description: 'Prepara a conversa e a passa para uma pessoa da equipe.',
  model: '',
  chainJson: [
    instruction(
      'Preparar a passagem',
      'Antes de passar a conversa, resuma em uma frase o que a pessoa precisa e confirme se entendeu bem.',
    ),
    handoff(asksForPerson),
    handoff('A pessoa está irritada, reclama do atendimento ou repete o mesmo pedido sem ter sido atendida.'),
    handoff('O assunto é urgente ou delicado: saúde, segurança, assédio ou questões jurídicas.'),
  ],
};

/** Templates that a host can start from. Each names agents that the host must have. */
const flowTemplates: readonly FlowTemplate[] = [reception, leadQualification, paymentCopy, humanHandover];
