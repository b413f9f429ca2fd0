import type { ApiResponse, Service } from './service.ts';

/** The base path for records of a CRM. */
export const CRM = '/api/integrations/crm/internal';

export function deal(external_id: number) {
  const email = `pessoa${external_id}@example.com`;
  return { external_id, dealname: `Inscrição ${external_id}`, email, firstname: 'Pessoa', dealstage: 1 };
}

export function ticket(external_id: number) {
  return {
    external_id,
    email: `pessoa${external_id}@example.com`,
    firstname: 'Pessoa',
    lastname: String(external_id),
    mobilephone: `+55 11 90000-0${external_id}`,
    subject: 'Boleto',
    content: 'Pede a segunda via.',
    createdate: 1_760_000_000_000,
    hs_pipeline_stage: 1,
  };
}

export function sendDeal(service: Service, external_id: number): Promise<ApiResponse> {
  return service.call(`${CRM}/deals`, deal(external_id));
}

export function findArrivals(service: Service, external_id: number): Promise<{ state: string }[]> {
  return service.db('intake_records').whereRaw(`body ->> 'external_id' = ?`, [String(external_id)]);
}
