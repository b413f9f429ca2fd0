import { callHelper } from '../service.ts';
import { runAction } from './actions.js';
import { make, makeField } from './elements.js';

const MAX_SLUG_LENGTH = 60;

/**
 * @param {import('../service.ts').Host} host
 * @param {(avatarId: string) => void} onCreated
 */
export function makeNewAssistantForm({ host_id }, onCreated) {
  const name = make('input', { required: true, maxLength: 200 });
  const slug = make('input', {
    required: true,
    minLength: 2,
    maxLength: 63,
    pattern: '[a-z0-9][a-z0-9\\-]+',
  });
  const create = make('button', {}, 'Criar assistente');
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  let isSlugChosen = false;
  slug.addEventListener('input', () => {
    isSlugChosen = true;
  });
  name.addEventListener('input', () => {
    if (!isSlugChosen) slug.value = slugOf(name.value);
  });
  const form = make(
    'form',
    { className: 'card stack', 'aria-label': 'Novo assistente' },
    make('h2', {}, 'Novo assistente'),
    makeField('Nome', name, 'Como ele se apresenta aos clientes.'),
    makeField('Identificador', slug, 'Letras minúsculas, números e hífens. As integrações escolhem por ele.'),
    outcome,
    make('div', { className: 'buttons' }, create),
  );
  form.addEventListener('submit', event => {
    event.preventDefault();
    void runAction(create, outcome, async () => {
      const body = { host_id, sub_slug: slug.value, avatar_name: name.value.trim() };
      const { avatar_id: id } = await callHelper('createSubAvatarHelper', body);
      onCreated(id);
    });
  });
  return form;
}

/** @param {string} name */
function slugOf(name) {
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, MAX_SLUG_LENGTH);
}
