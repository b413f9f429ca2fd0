import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { words } from '../../words.ts';

/** Types of events that no webhook asks for. */
const otherEvents = { 'webhook.test': 'Teste', 'job.completed': 'Trabalho concluído' } as const;

export const eventNames: Readonly<Record<DataOf<'listDeliveries'>['items'][number]['type'], string>> = {
  ...words.saveWebhook.events.choices,
  ...otherEvents,
};
