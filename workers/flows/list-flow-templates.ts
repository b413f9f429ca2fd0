import type { Handler } from '../job.ts';
import { flowTemplates } from './flow-templates.ts';

export const listFlowTemplates: Handler<'listFlowTemplates'> = async () => ({
  code: 200,
  data: [...flowTemplates],
});
