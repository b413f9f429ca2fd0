const groups = [
  'custar custo custa preco valor taxa',
  'gratis gratuito gratuita graca isento',
  'comecar comeco comeca inicio inicia',
  'terminar termina termino fim encerramento acabar acaba',
  'aluno estudante discente',
  'professor docente',
  'prova exame avaliacao',
  'disciplina materia',
  'nota pontuacao media',
  'faculdade universidade instituicao',
  'pedir solicitar requerer requerimento pedido',
  'telefone contato ligar fone',
  'endereco local localizacao',
  'horario funcionamento abre atendimento',
  'morar moradia residencia',
  'emprego trabalho',
  'fundar fundada fundacao criada criado criacao',
  'mudar mudanca alterar alteracao troca trocar',
  'sair deixar desligamento desistir',
  'professora docente',
  'calouro ingressante',
  'inscrever inscrevo inscricao vestibular',
  'faltas frequencia',
  'formatura colacao formado concluinte',
  'ajuda auxilio apoio',
  'lingua idioma',
  'online internet distancia ead virtual',
  'carteirinha identidade',
  'comida refeicao alimentacao',
  'exterior estrangeiro estrangeira',
  'dono proprietario',
  'chefe diretor dirige',
  'ano data',
  'pessoa candidato',
  'dinheiro verba recursos',
  'demora tempo prazo dura duracao',
  'maximo limite',
  'minimo menor',
  'tcc monografia',
  'facul faculdade',
  'prof professor',
  'zap whatsapp',
];

const others = new Map<string, Set<string>>();
for (const group of groups.map(words => words.split(' '))) {
  for (const word of group) {
    const known = others.get(word) ?? new Set<string>();
    for (const other of group) if (other !== word) known.add(other);
    others.set(word, known);
  }
}

/** Normalized synonyms of a word. */
export function synonymsOf(word: string): readonly string[] {
  return [...(others.get(word) ?? [])];
}
