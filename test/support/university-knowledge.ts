/* Knowledge of an imaginary university: several hundred passages, each with questions that only it answers. */

export interface KnownPassage {
  readonly text: string;
  /** The same question in other words. */
  readonly questions: readonly string[];
}

const courses = (
  'Direito Medicina Enfermagem Odontologia Farmácia Nutrição Psicologia Fisioterapia Arquitetura Jornalismo Pedagogia Filosofia ' +
  'Geografia Química Física Matemática Estatística Agronomia Zootecnia Veterinária Biomedicina Contabilidade Turismo Gastronomia'
).split(' ');

const places = (
  'biblioteca secretaria tesouraria ouvidoria cantina piscina academia livraria papelaria enfermaria garagem capela ' +
  'auditório observatório planetário almoxarifado brinquedoteca herbário museu ginásio'
).split(' ');

type Facts = readonly (readonly [text: string, ...questions: string[]])[];

const courseFacts = (c: string, n: number): Facts => [
  [
    `A mensalidade do curso de ${c} é de R$ ${800 + n},00.`,
    `Quanto custa a mensalidade de ${c}?`,
    `Qual é o valor da mensalidade do curso de ${c}?`,
    `Olá, gostaria de saber a mensalidade de ${c}, por favor`,
  ],
  [
    `O curso de ${c} tem duração de ${6 + (n % 7)} semestres.`,
    `Qual é a duração do curso de ${c}?`,
    `Quanto tempo é a duração de ${c}?`,
    `Quero saber a duração do curso de ${c}`,
  ],
  [
    `A coordenação de ${c} é da professora Helena ${n}.`,
    `Quem é da coordenação de ${c}?`,
    `Quem faz a coordenação do curso de ${c}?`,
    `Pode me informar a coordenação de ${c}?`,
  ],
  [
    `O vestibular oferece ${40 + n} vagas para ${c}.`,
    `Quantas vagas tem ${c}?`,
    `Quantas vagas existem para ${c}?`,
    `Preciso saber as vagas de ${c}`,
  ],
  [
    `O estágio obrigatório de ${c} tem ${200 + n} horas.`,
    `O estágio de ${c} é obrigatório?`,
    `É obrigatório fazer o estágio em ${c}?`,
    `Tem estágio obrigatório em ${c}?`,
  ],
  [
    `A bolsa de iniciação científica em ${c} paga R$ ${400 + n},00.`,
    `Como funciona a bolsa de iniciação científica em ${c}?`,
    `Tem bolsa de iniciação científica para ${c}?`,
    `Quero uma bolsa de iniciação científica em ${c}, como faço?`,
  ],
  [
    `O uniforme do laboratório de ${c} é o jaleco número ${n}.`,
    `Qual é o uniforme do laboratório de ${c}?`,
    `Como é o uniforme no laboratório de ${c}?`,
    `Preciso de uniforme para o laboratório de ${c}?`,
  ],
  [
    `A revalidação de diploma estrangeiro de ${c} custa R$ ${1_000 + n},00.`,
    `Vocês fazem revalidação de diploma de ${c}?`,
    `Como é a revalidação do diploma de ${c}?`,
    `Gostaria de saber da revalidação de um diploma de ${c}`,
  ],
];

const placeFacts = (p: string, n: number): Facts => [
  [
    `O armário da ${p} pode ser alugado por R$ ${20 + n},00.`,
    `Posso alugar um armário da ${p}?`,
    `Como alugar o armário da ${p}?`,
    `Quero alugar armário na ${p}`,
  ],
  [
    `O estacionamento da ${p} tem ${10 + n} lugares.`,
    `Tem estacionamento na ${p}?`,
    `Como é o estacionamento da ${p}?`,
    `Preciso de estacionamento perto da ${p}`,
  ],
  [
    `A ${p} aceita voluntários inscritos até o dia ${1 + n}.`,
    `Posso ser voluntário na ${p}?`,
    `Como ser voluntário da ${p}?`,
    `Gostaria de ser voluntário na ${p}`,
  ],
  [
    `A visita guiada da ${p} começa às ${8 + (n % 10)} horas.`,
    `Tem visita guiada na ${p}?`,
    `Como é a visita guiada da ${p}?`,
    `Quero fazer a visita guiada da ${p}`,
  ],
];

export function universityPassages(): KnownPassage[] {
  const facts = [...courses.flatMap(courseFacts), ...places.flatMap(placeFacts)];
  return facts.map(([text, ...questions]) => ({ text, questions }));
}

/** Shuffles by a seed, so that a failure can be repeated. */
export function shuffleBySeed<T>(items: readonly T[], seed: number): T[] {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return items
    .map(item => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
