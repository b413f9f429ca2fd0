import { confirmAction } from '../components/dialogs.tsx';
import { dropDraft, keepDraft } from '../drafts.ts';
import { callHelper } from '../service.ts';
import { makeButton, runAction } from './actions.js';
import { make, makeField, makeSelect } from './elements.js';

/**
 * @typedef {{ avatar_id: string, avatar_name: string, avatar_picture: string, prompt_envelop: string, model: string,
 *   on_unsupported: string }} SavedAvatar
 */
/** @typedef {'avatar_name' | 'avatar_picture' | 'prompt_envelop' | 'model' | 'on_unsupported'} FieldName */

/** What happens to an answer with a figure that stands nowhere. @type {[string, string][]} */
const unsupportedChoices = [
  ['pass', 'Enviar assim mesmo'],
  ['handoff', 'Enviar e chamar uma pessoa'],
  ['withhold', 'Trocar a frase por “não encontrei”'],
];

/**
 * @param {{ hostId: string, saved: SavedAvatar, models: Record<string, string[]>, onSaved: () => void }} options
 */
export function makeAssistantForm({ hostId, saved, models, onSaved }) {
  let base = saved;
  const fields = makeFields(saved, models);
  const names = /** @type {FieldName[]} */ (Object.keys(fields));
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const note = make('span', { className: 'small', role: 'status' });
  const save = make('button', {}, 'Salvar');
  /** @param {FieldName} name */
  const draftOf = name => `assistant:${saved.avatar_id}:${name}`;
  const readChanges = () => {
    const changed = names.filter(name => fields[name].value !== base[name]);
    return changed.length > 0
      ? Object.fromEntries(changed.map(name => [name, fields[name].value]))
      : undefined;
  };
  const showChanges = () => {
    const hasChanges = readChanges() !== undefined;
    save.disabled = !hasChanges;
    discard.hidden = !hasChanges;
    note.textContent = hasChanges ? 'Há mudanças que ainda não foram salvas.' : '';
  };
  const reset = () => {
    for (const name of names) {
      fields[name].value = base[name];
      dropDraft(draftOf(name));
    }
    showChanges();
  };
  const discard = makeButton('Descartar mudanças', reset, 'quiet');
  for (const name of names) {
    keepDraft(fields[name], draftOf(name), saved[name]);
    fields[name].addEventListener('input', showChanges);
  }
  const saveChanges = async () => {
    const target = { host_id: hostId, avatar_id: saved.avatar_id };
    const present = await callHelper('readAvatarHelper', target);
    const isChangedElsewhere = names.some(name => present[name] !== base[name]);
    if (isChangedElsewhere && !(await confirmAction(overwriting))) return;
    base = await callHelper('editAvatarHelper', { ...target, ...readChanges() });
    reset();
    note.textContent = 'Salvo. Vale a partir da próxima pergunta.';
    onSaved();
  };
  showChanges();
  const element = layOut(fields, [outcome, make('div', { className: 'buttons' }, save, discard, note)]);
  element.addEventListener('submit', event => {
    event.preventDefault();
    void runAction(save, outcome, saveChanges);
  });
  return { element, readChanges };
}

const overwriting = {
  title: 'Outra pessoa mudou este assistente',
  text: 'Ele foi salvo por outra pessoa depois que você abriu esta página. Os campos que você mudou substituem os dela.',
  action: 'Salvar mesmo assim',
};

/** @param {ReturnType<typeof makeFields>} fields @param {HTMLElement[]} rest */
function layOut(fields, rest) {
  return make(
    'form',
    { className: 'card stack', 'aria-label': 'Identidade e instruções' },
    make('h2', {}, 'Identidade e instruções'),
    make(
      'div',
      { className: 'pair' },
      makeField('Nome', fields.avatar_name),
      makeField('Modelo', fields.model),
      makeField('Endereço da imagem', fields.avatar_picture),
      makeField('Número sem fonte na resposta', fields.on_unsupported),
    ),
    makeField('Instruções', fields.prompt_envelop, 'Quem o assistente é, como fala e o que não deve fazer.'),
    ...rest,
  );
}

/** @param {SavedAvatar} saved @param {Record<string, string[]>} models */
function makeFields(saved, models) {
  const names = [...new Set([...Object.values(models).flat(), ...(saved.model ? [saved.model] : [])])];
  /** @type {[string, string][]} */
  const modelChoices = [
    ['', 'Modelo padrão'],
    ...names.map(name => /** @type {[string, string]} */ ([name, name])),
  ];
  return {
    avatar_name: make('input', { required: true, maxLength: 200 }),
    model: makeSelect('Modelo', modelChoices).field,
    avatar_picture: make('input', { type: 'url', maxLength: 2_000, placeholder: 'https://' }),
    on_unsupported: makeSelect('Número sem fonte', unsupportedChoices).field,
    prompt_envelop: make('textarea', { rows: 10, maxLength: 100_000 }),
  };
}
