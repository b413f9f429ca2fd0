import { setMapping } from '../../db/crm-mappings.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { Service } from './service.ts';
import type { Tenant } from './tenant.ts';

/** Records of a CRM, each with a field that the mapping does not have. */
export const intakeSamples = {
  receiveTicket: async () => ({
    external_id: 4711,
    email: 'rui@example.com',
    mobilephone: '+55 11 98765-4321',
    subject: 'Boleto',
    content: 'Pede a segunda via.',
    createdate: 1_760_000_000_000,
    hs_pipeline_stage: '1',
    campus_horizonte: 'Centro',
    canal: 'portal',
  }),
  receiveDeal: async () => ({
    external_id: 815,
    dealname: 'Rui - Direito',
    email: 'rui@example.com',
    cpf: '529.982.247-25',
    date_of_birth: '2004-02-29',
    dealstage: 2,
    utm_source: { feira: true },
  }),
  receiveObject: async (service: Service, { hostId }: Tenant) => {
    const fields = { codigo: { to: 'external_id' }, email: { to: 'email' }, curso: { to: 'dealname' } };
    const agreed = { target: 'leads', fields, required: [['codigo']], solvedStages: [], campus: false };
    await withHost(service.db, hostId, scope => setMapping(scope, 'objects', agreed));
    return { codigo: 'a-1', email: 'rui@example.com', curso: 'Direito', turno: ['noite'] };
  },
};
