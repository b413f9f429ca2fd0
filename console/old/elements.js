/**
 * An element with its properties and children. Strings become text nodes: external data is never parsed as HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [properties] Those with a dash, and `role`, are attributes.
 * @param {...(Node | string | undefined)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role') element.setAttribute(name, String(value));
    else Object.assign(element, { [name]: value });
  }
  element.append(...children.filter(child => child !== undefined));
  return element;
}

let fieldCount = 0;

/**
 * A field with its label, linked by an id.
 * @template {HTMLElement} Field
 * @param {string} label
 * @param {Field} field
 * @param {string} [hint]
 */
export function makeField(label, field, hint) {
  fieldCount += 1;
  field.id = `field-${fieldCount}`;
  const note =
    hint === undefined ? undefined : make('span', { className: 'hint', id: `hint-${fieldCount}` }, hint);
  if (note) field.setAttribute('aria-describedby', note.id);
  return make('div', { className: 'field' }, make('label', { htmlFor: field.id }, label), field, note);
}

/**
 * @param {string} label
 * @param {readonly (readonly [value: string, text: string])[]} choices
 */
export function makeSelect(label, choices) {
  const field = make('select', {}, ...choices.map(([value, text]) => make('option', { value }, text)));
  return { field, row: makeField(label, field) };
}

/** @param {number} count @param {string} one @param {string} many */
export function formatCount(count, one, many) {
  return `${count.toLocaleString('pt-BR')} ${count === 1 ? one : many}`;
}
