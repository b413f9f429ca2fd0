import { derivedStemOf } from '../../text/words.ts';

const groups = [
  'inicio comeco comecar iniciar',
  'fim final termino terminar encerrar encerramento acabar ultimo',
  'custar custo valor preco taxa investimento',
  'valor dinheiro quantia',
  'pagar pagamento quitar',
  'mensalidade parcela',
  'custar mensalidade',
  'inscrever inscricao',
  'matricular matricula',
  'somar acumular',
  'parcelar vezes prestacoes',
  'gratis gratuito isento',
  'desconto abatimento',
  'antecipado adiantado pontualidade',
  'atraso atrasado vencido vencimento vencer',
  'atendimento atender funcionar horario abrir aberto',
  'telefone contato ligar fone celular ramal',
  'whatsapp celular contato',
  'endereco rua avenida localizacao localizar residencia',
  'local lugar',
  'aluno estudante discente academico',
  'professor docente',
  'prova avaliacao exame',
  'nota media pontuacao pontos',
  'disciplina materia cadeira',
  'curso graduacao',
  'formatura colacao formando',
  'especializacao mba',
  'intercambio mobilidade convenio',
  'bicicleta bicicletario bike',
  'carro estacionar estacionamento veiculo',
  'senha login',
  'acessar acesso entrar',
  'enviar mandar anexar entregar encaminhar',
  'pegar retirar emprestimo emprestar',
  'livro obra exemplar titulo',
  'pedir solicitar requerer requerimento protocolar',
  'emitir gerar tirar',
  'demorar levar prazo tempo',
  'cair compensar reconhecer',
  'devolver devolucao reembolso estorno restituir',
  'cancelar desistir',
  'gravida gestante gestacao gravidez',
  'casa domiciliar domicilio',
  'faltar falta ausencia',
  'frequencia presenca',
  'distancia ead online virtual',
  'digital eletronico virtual online',
  'aprovar aprovado passar',
  'fundar criar fundacao criacao',
  'objetivo finalidade',
  'exigir necessario obrigatorio requisito minimo',
  'responsavel coordenador coordenar',
  'comprovante declaracao atestado',
  'menor idade anos',
  'ingles proficiencia idioma',
  'imprimir impressao',
  'conferir conferencia analisar verificar verificacao detectar',
  'internet rede wifi',
  'rematricula matricula renovar',
  'penalidade punicao sancao',
  'turma classe sala',
];

/** stem → stems of synonyms */
export const synonymStems: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const byStem = new Map<string, Set<string>>();
  for (const group of groups) {
    const stems = group.split(' ').map(derivedStemOf);
    for (const stem of stems) {
      const synonyms = byStem.get(stem) ?? new Set<string>();
      for (const other of stems) if (other !== stem) synonyms.add(other);
      byStem.set(stem, synonyms);
    }
  }
  return byStem;
})();
