import { callHelper } from '../service.ts';
import { makeButton, makeEmptyState, makeWaiting, runAction } from './actions.js';
import { formatCount, make, makeField, makeSelect } from './elements.js';
import { markWords } from './mark-words.js';

/** @typedef {import('./passages.js').Passage} Passage */

/**
 * Which passages answer a question, best first, as in a turn.
 * @param {{ hostId: string, reader: import('./knowledge.js').Avatar, dataset: import('./knowledge.js').Dataset, onWrite: (begin: string) => void }} options
 */
export function makeQuestionTest({ hostId, reader, dataset, onWrite }) {
  const question = make('input', {
    type: 'search',
    required: true,
    maxLength: 1_000,
    placeholder: 'Pergunte como um cliente',
  });
  const { field: where, row } = makeSelect('Onde', [
    ['all', `Tudo o que ${reader.avatar_name} lê`],
    ['one', 'Só nesta base'],
  ]);
  const button = make('button', {}, 'Testar');
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const found = make('div', { 'aria-live': 'polite' });
  const form = make('form', { className: 'toolbar flat' }, makeField('Pergunta', question), row, button);
  form.addEventListener('submit', event => {
    event.preventDefault();
    void runAction(button, outcome, test);
  });
  const test = async () => {
    const asked = question.value.trim();
    if (!asked) return;
    found.replaceChildren(makeWaiting('Procurando…'));
    const all = reader.datasets.map(({ dataset_id: id }) => id);
    const body = {
      hostId,
      avatar_id: reader.avatar_id,
      dataset_ids: where.value === 'one' ? [dataset.id] : all,
    };
    try {
      const passages = await callHelper('chunkReadHelper', { ...body, question: asked });
      found.replaceChildren(...makeFound(passages, asked, () => onWrite(`## ${asked}\n\n`)));
    } catch (error) {
      found.replaceChildren();
      throw error;
    }
  };
  return make(
    'section',
    { className: 'card stack', 'aria-label': 'Testar uma pergunta' },
    make('h2', {}, 'Testar uma pergunta'),
    form,
    outcome,
    found,
  );
}

/** @param {Passage[]} passages @param {string} question @param {() => void} onWrite */
function makeFound(passages, question, onWrite) {
  if (passages.length === 0) {
    const text = 'O assistente diria que não encontrou. Escreva a passagem que falta.';
    return [makeEmptyState('Nenhuma passagem responde', text, makeButton('Escrever passagem', onWrite))];
  }
  const rows = passages.map(({ content, dataset_name }, index) =>
    make(
      'li',
      { className: 'found' },
      make('div', { className: 'small' }, `${index + 1}º · ${dataset_name}`),
      make('div', { className: 'passage-text' }, markWords(content, question)),
    ),
  );
  const count = formatCount(passages.length, 'passagem', 'passagens');
  return [
    make('p', { className: 'small' }, `${count} que o assistente leria para responder, a melhor primeiro:`),
    make('ol', { className: 'plain' }, ...rows),
  ];
}
