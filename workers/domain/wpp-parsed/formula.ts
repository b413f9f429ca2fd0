/*
 * Formulas in LaTeX, as models write an average or a condition, become plain signs: `\( \frac{N1 + N2}{2} \geq 6 \)` is
 * (N1 + N2)/2 ≥ 6. Found are those between marks, and commands that stand alone. A price in dollars or reais is none.
 */

export interface FoundFormula {
  readonly text: string;
  readonly end: number;
}

/** Also bounds how far a group in it can nest. */
const MAX_LENGTH = 1_000;
/** Between marks that are also escaped brackets or prices, a formula has one of these. */
const FORMULA =
  /\\[a-zA-Z,;:!{}%$]|[=^{}+<>≤≥]|(?<![A-Za-z])[A-Za-z]{1,3}_[A-Za-z0-9{]|\d\s*[-*/]\s*\d|^\s*[A-Za-z]\d?\s*$/;
/** A web or mail address would be damaged: in it, `_` and `~` are no marks of a formula. */
const ADDRESS = /:\/\/|www\.|@/i;
const ENVIRONMENT = /\\begin\{([a-z]{3,12}\*?)\}/y;
const COMMAND = /\\([a-zA-Z]{2,20})/y;
/** Another sign before a command belongs to a path, such as `C:\times`. */
const BEFORE_COMMAND = /[\s\d({[+=/|<>,;-]/;

/** Finds the formulas of a text. The place of the next closing mark is kept, so all of them are found in one pass. */
export class FormulaFinder {
  readonly #text: string;
  readonly #next = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The formula that begins with the backslash at this place. */
  atBackslash(at: number): FoundFormula | undefined {
    const sign = this.#text[at + 1] ?? '';
    if (sign === '(' || sign === '[') return this.#between(at, 2, sign === '(' ? '\\)' : '\\]');
    ENVIRONMENT.lastIndex = at;
    const environment = ENVIRONMENT.exec(this.#text);
    if (environment) return this.#between(at, environment[0].length, `\\end{${environment[1] ?? ''}}`);
    const isAlone = at === 0 || BEFORE_COMMAND.test(this.#text.charAt(at - 1));
    COMMAND.lastIndex = at;
    const name = isAlone ? COMMAND.exec(this.#text)?.[1] : undefined;
    if (name === undefined) return undefined;
    const after = at + name.length + 1;
    const symbol = SYMBOLS.get(name);
    if (symbol !== undefined) return { text: symbol, end: after };
    if (!TAKES_GROUPS.has(name) || !'{['.includes(this.#text.charAt(after) || ' ')) return undefined;
    const reader = new FormulaReader(this.#text.slice(at, at + MAX_LENGTH));
    const plain = tidied(reader.next());
    return ADDRESS.test(plain) ? undefined : { text: plain, end: at + reader.at };
  }

  /** The formula between `$` or `$$`, unless the signs are of prices: `de $10 a $20`, `R$ 10`. */
  atDollar(at: number): FoundFormula | undefined {
    const text = this.#text;
    if (/[\p{L}\p{N}$\\]/u.test(text.charAt(at - 1))) return undefined;
    if (text[at + 1] === '$') return text[at + 2] === '$' ? undefined : this.#between(at, 2, '$$');
    const from = at + 1;
    const end = this.#nextDollar(from);
    if (end < 0 || end - from > MAX_LENGTH) return undefined;
    const inner = text.slice(from, end);
    const isClosed = /^\S(?:[^\n]*\S)?$/.test(inner) && !/^\s?\d/.test(text.slice(end + 1, end + 3));
    const isPrice = /^\d/.test(inner) && !/[\\^_{]/.test(inner);
    return isClosed && !isPrice && isFormula(inner) ? { text: plainOf(inner), end: end + 1 } : undefined;
  }

  #between(at: number, length: number, closing: string): FoundFormula | undefined {
    const from = at + length;
    const end = this.#nextOf(closing, from);
    if (end < 0 || end - from > MAX_LENGTH) return undefined;
    const inner = this.#text.slice(from, end);
    const isNested = inner.includes(this.#text.slice(at, from));
    return !isNested && isFormula(inner) ? { text: plainOf(inner), end: end + closing.length } : undefined;
  }

  #nextOf(closing: string, from: number): number {
    const known = this.#next.get(closing);
    if (known !== undefined && (known < 0 || known >= from)) return known;
    const found = this.#text.indexOf(closing, from);
    this.#next.set(closing, found);
    return found;
  }

  /** An escaped one is a sign of the formula. */
  #nextDollar(from: number): number {
    let at = this.#nextOf('$', from);
    while (at > 0 && this.#text[at - 1] === '\\') at = this.#nextOf('$', at + 1);
    return at;
  }
}

function isFormula(inner: string): boolean {
  return FORMULA.test(inner) && !ADDRESS.test(inner);
}

function plainOf(tex: string): string {
  return tidied(new FormulaReader(tex).rest());
}

function tidied(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[;,])/g, '')
    .replace(/^[\s;]{1,9}|[\s;]{1,9}$/g, '');
}

const SYMBOLS: ReadonlyMap<string, string> = new Map(
  (
    'times × cdot · ast × div ÷ pm ± mp ∓ le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ approx ≈ simeq ≃ sim ~ equiv ≡ ' +
    'propto ∝ infty ∞ sum Σ prod Π int ∫ partial ∂ nabla ∇ in ∈ notin ∉ subset ⊂ subseteq ⊆ cup ∪ cap ∩ emptyset ∅ forall ∀ ' +
    'exists ∃ neg ¬ lnot ¬ land ∧ wedge ∧ lor ∨ vee ∨ to → rightarrow → longrightarrow → Rightarrow ⇒ implies ⇒ leftarrow ← ' +
    'Leftarrow ⇐ leftrightarrow ↔ Leftrightarrow ⇔ iff ⇔ mapsto ↦ therefore ∴ because ∵ circ ° degree ° prime ′ ldots … dots … ' +
    'cdots … vdots … lt < gt > ll ≪ gg ≫ mid | vert | lvert | rvert | langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ ' +
    'alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π ' +
    'rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ ' +
    'Psi Ψ Omega Ω checkmark ✓ bullet • star ★ colon : backslash \\'
  )
    .split(' ')
    .flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1] ?? ''] as const] : [])),
);
const FRACTIONS = new Set(['frac', 'dfrac', 'tfrac', 'cfrac']);
/** The name of another command is said, as of `\max`. */
const UNSAID = new Set(
  'left right big Big bigg Bigg bigl bigr Bigl Bigr middle displaystyle textstyle limits nolimits hline quad qquad'.split(
    ' ',
  ),
);
const WRAPPERS = new Set(
  'text textbf textit textrm textsf mathrm mathbf mathit mathsf mathbb mathcal operatorname mbox boxed overline bar hat vec tilde underline'.split(
    ' ',
  ),
);
const TAKES_GROUPS = new Set([...FRACTIONS, ...WRAPPERS, 'sqrt', 'binom']);
const RAISED: ReadonlyMap<string, string> = new Map(
  Array.from('0123456789+-=()n', (sign, at) => [sign, '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ'.charAt(at)]),
);
const SINGLE = /^(?:[\p{L}\p{N}.,%°]+|\([^()]*\)|.)$/u;

function grouped(text: string): string {
  return SINGLE.test(text) ? text : `(${text})`;
}

function raised(text: string): string {
  if (/^[°ºª′]$/.test(text)) return text;
  if (text === 'o' || text === 'a') return text === 'o' ? 'º' : 'ª';
  const signs = Array.from(text, sign => RAISED.get(sign));
  return signs.includes(undefined) ? `^${grouped(text)}` : signs.join('');
}

class FormulaReader {
  readonly #tex: string;
  at = 0;

  constructor(tex: string) {
    this.#tex = tex;
  }

  rest(end = ''): string {
    let text = '';
    while (this.at < this.#tex.length && this.#tex[this.at] !== end) text += this.next();
    this.at += 1;
    return text;
  }

  /** Reads a sign, a command with its groups, or a group. */
  next(): string {
    const sign = this.#tex[this.at] ?? '';
    this.at += 1;
    switch (sign) {
      case '\\':
        return this.#command();
      case '{':
        return this.rest('}');
      case '^':
        return raised(this.#argument());
      case '_': {
        const index = this.#argument();
        return /^\d+$/.test(index) ? index : `_${grouped(index)}`;
      }
      case '*':
        return '×';
      case '&':
      case '~':
        return ' ';
      default:
        return sign === '}' ? '' : sign;
    }
  }

  #argument(): string {
    while (this.#tex[this.at] === ' ') this.at += 1;
    return this.next().trim();
  }

  #command(): string {
    COMMAND_NAME.lastIndex = this.at;
    const name = COMMAND_NAME.exec(this.#tex)?.[0];
    if (name === undefined) return this.#sign();
    this.at += name.length;
    const symbol = SYMBOLS.get(name);
    if (symbol !== undefined) return symbol;
    if (FRACTIONS.has(name)) return `${grouped(this.#argument())}/${grouped(this.#argument())}`;
    if (name === 'binom') return `C(${this.#argument()}, ${this.#argument()})`;
    if (name === 'sqrt') return this.#root();
    if (WRAPPERS.has(name)) return this.#tex[this.at] === '{' ? this.next() : this.#argument();
    if (name === 'begin' || name === 'end') {
      const columns = this.#argument() === 'array' && name === 'begin' ? this.#argument() : '';
      return columns === '' ? '' : ' ';
    }
    if (!UNSAID.has(name)) return name;
    if (/^(?:left|right)$/.test(name) && this.#tex[this.at] === '.') this.at += 1;
    return name.includes('quad') ? ' ' : '';
  }

  #root(): string {
    if (this.#tex[this.at] !== '[') return `√${grouped(this.#argument())}`;
    this.at += 1;
    const degree = this.rest(']');
    return `${raised(degree)}√${grouped(this.#argument())}`;
  }

  /** Reads the sign behind a backslash: an escaped one, a space, or the end of a line. */
  #sign(): string {
    const sign = this.#tex[this.at] ?? '';
    this.at += 1;
    if (sign === '\\') return '; ';
    if (sign === '!') return '';
    return ',;: '.includes(sign) ? ' ' : sign;
  }
}

const COMMAND_NAME = /[a-zA-Z]+/y;
