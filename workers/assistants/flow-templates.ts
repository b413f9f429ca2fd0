import type { DataOf } from '../../queues/contract/operations/index.ts';

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
export const flowTemplates: readonly FlowTemplate[] = [
  reception,
  leadQualification,
  paymentCopy,
  humanHandover,
];
