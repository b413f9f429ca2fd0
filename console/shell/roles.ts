import type { Role } from '../service.ts';

export const roleNames: Readonly<Record<Role, string>> = {
  agent: 'Atendimento',
  manager: 'Gestão',
  admin: 'Administração',
};
