import { callHelper } from '../service.ts';
import { makeButton, makeEmptyState, makeWaiting, runAction } from './actions.js';
import { makeDatasetPane } from './dataset-pane.js';
import { make, makeField, makeSelect } from './elements.js';
import { makeLoadError, makeSplitView } from './split-view.js';

/** @typedef {{ id: string, dataset_name: string, dataset_type: string }} Dataset */
/** @typedef {import('../shell/session.ts').Avatar} Avatar */
/** @typedef {import('../service.ts').Host & { host_config?: { chunk_size_limit: number } }} Host */

/** @param {import('../shell/session.ts').SessionContext} context */
export function makeKnowledgeView({ host }) {
  if (!host) return make('p', { className: 'card' }, 'Este token não permite ver o conhecimento.');
  const { host_id: hostId, host_slug } = host;
  const split = makeSplitView({
    title: 'Conhecimento',
    label: 'Bases de conhecimento',
    addText: 'Nova base',
    onAdd: show => show(makeNewDatasetForm(hostId, load)),
  });
  const { list, begin } = split;

  /** @param {string} [chosenId] */
  const load = async chosenId => {
    const showLoaded = begin();
    showLoaded(makeWaiting('Carregando as bases…'));
    try {
      const [datasets, { avatarsAdminList }] = await Promise.all([
        callHelper('datasetsListHelper', { hostId }),
        callHelper('avatarsListHelper', { host_slug }),
      ]);
      /** @type {Avatar[]} */
      const avatars = avatarsAdminList.avatars;
      show({ datasets, avatars, chosenId, showLoaded });
    } catch (error) {
      showLoaded(makeLoadError(error, () => void load(chosenId)));
    }
  };
  /** @param {{ datasets: Dataset[], avatars: Avatar[], chosenId: string | undefined, showLoaded: import('./split-view.js').Show }} loaded */
  const show = ({ datasets, avatars, chosenId, showLoaded }) => {
    /** @param {Dataset} dataset @param {import('./split-view.js').Show} [showOpen] */
    const open = (dataset, showOpen = begin()) => {
      split.mark(dataset.id);
      showOpen(makeDatasetPane({ host, dataset, avatars, onChanged: id => void load(id) }));
    };
    list.replaceChildren(...datasets.map(dataset => makeChoice(dataset, avatars, () => open(dataset))));
    const chosen = datasets.find(({ id }) => id === chosenId) ?? datasets[0];
    if (chosen) open(chosen, showLoaded);
    else showLoaded(makeNone(() => split.add.click()));
  };
  void load();
  return split.element;
}

/** @param {Dataset} dataset @param {Avatar[]} avatars @param {() => void} onOpen */
function makeChoice({ id, dataset_name }, avatars, onOpen) {
  const readers = avatars.filter(({ datasets }) => datasets.some(({ dataset_id }) => dataset_id === id));
  const names = readers.map(({ avatar_name }) => avatar_name).join(', ');
  const choice = makeButton('', onOpen, 'row');
  choice.dataset['id'] = id;
  choice.append(
    make('strong', {}, dataset_name),
    make('span', { className: 'small' }, names ? `Lida por ${names}` : 'Nenhum assistente a lê'),
  );
  return make('li', {}, choice);
}

/** @param {() => void} onBegin */
function makeNone(onBegin) {
  const text =
    'Uma base guarda as passagens com que os assistentes respondem: escreva-as, ou importe documentos.';
  const begin = makeButton('Criar a primeira base', onBegin);
  return make('div', { className: 'card' }, makeEmptyState('Ainda não há conhecimento', text, begin));
}

/** @param {string} hostId @param {(id?: string) => Promise<void>} reload */
function makeNewDatasetForm(hostId, reload) {
  const name = make('input', { required: true, maxLength: 200 });
  const { field: kind, row } = makeSelect('Quem pode ler cada passagem', [
    ['common_rag', 'Todas as conversas'],
    ['filtered_rag', 'Só conversas com os dados pedidos na passagem'],
  ]);
  const create = make('button', {}, 'Criar base');
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const form = make(
    'form',
    { className: 'card stack', 'aria-label': 'Nova base' },
    make('h2', {}, 'Nova base'),
    makeField('Nome', name, 'Por exemplo: Guia do aluno'),
    row,
    outcome,
    make(
      'div',
      { className: 'buttons' },
      create,
      makeButton('Cancelar', () => void reload(), 'quiet'),
    ),
  );
  form.addEventListener('submit', event => {
    event.preventDefault();
    void runAction(create, outcome, async () => {
      const body = { hostId, datasetName: name.value.trim(), datasetType: kind.value };
      const { id } = await callHelper('createDatasetsHelper', body);
      await reload(id);
    });
  });
  return form;
}
