import type { Role } from '../service.ts';

/** What the roles are called. */
export const roleNames: Readonly<Record<Role, string>> = {
  agent: 'Atendimento',
  manager: 'Gestão',
  admin: 'Administração',
};
