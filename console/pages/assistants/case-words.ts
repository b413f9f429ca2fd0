import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { formatCount } from '../../format.ts';
import type { FailingCase } from '../../service.ts';

export type Case = DataOf<'listEvaluationCases'>['cases'][number];

export const nameOf = ({ name, question }: Case): string => name ?? question;

const listTexts = (texts: string | readonly string[] = []): string =>
  [texts]
    .flat()
    .map(text => `“${text}”`)
    .join(', ');

export function describeExpectation(expect: Case['expect']): string {
  const { contains, notContains, sources, unsupported, askHumanHelp, agent, item } = expect;
  const parts = [
    contains && `tem ${listTexts(contains)}`,
    notContains && `não tem ${listTexts(notContains)}`,
    sources && `usa ${formatCount(sources.length, 'passagem certa', 'passagens certas')}`,
    unsupported !== undefined &&
      (unsupported === 0 ? 'nenhum número sem fonte' : `até ${unsupported} números sem fonte`),
    askHumanHelp !== undefined && (askHumanHelp ? 'chama uma pessoa' : 'não chama uma pessoa'),
    agent && `roda ${agent}`,
    item && `traz uma mensagem do tipo ${item}`,
  ];
  return parts.filter(Boolean).join(' · ') || 'qualquer resposta';
}

const failedTexts = new Map([
  ['contains', 'falta um texto'],
  ['notContains', 'tem um texto que não pode ter'],
  ['sources', 'não usa as passagens certas'],
  ['unsupported', 'tem um número sem fonte'],
  ['askHumanHelp', 'chama, ou não chama, uma pessoa'],
  ['agent', 'não roda o agente'],
  ['item', 'não traz a mensagem do tipo certo'],
]);

export const describeFailing = ({ failed }: Pick<FailingCase, 'failed'>): string =>
  failed.map(check => failedTexts.get(check) ?? check).join(', ');
