import { argumentsProblems } from '../domain/schema-problems.ts';
import type { JsonObject, JsonSchemaObject, Tool, ToolResult } from '../tools/tool.ts';
import { type Effects, type HelpReason, helpReasons } from './effects.ts';

/** Functions that every turn offers, whatever its flow. */
export function makeBuiltInTools(effects: Effects): Tool[] {
  return [makeHelpTool(effects), makeTicketTool(effects), makeCloseTool(effects)];
}

function makeHelpTool(effects: Effects): Tool {
  return makeBuiltInTool({
    name: 'ask_human_help',
    description:
      'Chama uma pessoa da equipe para continuar o atendimento. Use quando a pessoa pedir para falar com alguém ' +
      '(customer_request), quando a resposta não estiver no conhecimento e for importante (missing_knowledge), quando ' +
      'o pedido estiver fora do que você faz (unsupported_request), quando uma regra impedir (policy_restriction) ou ' +
      'quando uma função falhar (tool_failure). Depois avise a pessoa.',
    parameters: objectOf({ reason: { type: 'string', enum: [...helpReasons] } }),
    run({ reason }) {
      effects.handover ??= { by: 'model', reason: reason as HelpReason };
      return 'A equipe foi chamada: uma pessoa vai continuar este atendimento.';
    },
  });
}

function makeTicketTool(effects: Effects): Tool {
  return makeBuiltInTool({
    name: 'open_ticket',
    description:
      'Abre um chamado para a equipe resolver depois. Use quando a pessoa pedir ou concordar, com o assunto em poucas ' +
      'palavras e a descrição com tudo o que ela disse sobre o pedido.',
    parameters: objectOf({
      subject: { type: 'string', minLength: 1, maxLength: 300 },
      description: { type: 'string', minLength: 1, maxLength: 10_000 },
    }),
    run({ subject, description }) {
      if (effects.ticket) return { text: 'Erro: já há um chamado nesta resposta.', isError: true };
      effects.ticket = { subject: String(subject), description: String(description) };
      return 'O chamado foi registrado e a equipe vai dar retorno.';
    },
  });
}

function makeCloseTool(effects: Effects): Tool {
  return makeBuiltInTool({
    name: 'close_conversation',
    description: 'Encerra o atendimento depois desta resposta. Use só quando a pessoa se despedir ou pedir.',
    parameters: objectOf({}),
    run() {
      effects.closes = true;
      return 'O atendimento será encerrado depois desta resposta.';
    },
  });
}

type BuiltInTool = Pick<Tool, 'name' | 'description' | 'parameters'> & {
  run(args: JsonObject): string | ToolResult;
};

function makeBuiltInTool({ run, ...tool }: BuiltInTool): Tool {
  return {
    ...tool,
    kind: 'built-in',
    async run(args) {
      const [problem] = argumentsProblems(tool.parameters, args);
      if (problem) {
        return { text: `Erro: argumentos inválidos: ${problem.path} ${problem.message}`, isError: true };
      }
      const result = run(args);
      return typeof result === 'string' ? { text: result } : result;
    },
  };
}

/** A strict schema: every property is required and no other is allowed. */
function objectOf(properties: Readonly<Record<string, JsonSchemaObject>>): JsonSchemaObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
