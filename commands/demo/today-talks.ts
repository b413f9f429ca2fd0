import type { DemoTalk } from './talk.ts';

/** The conversations of today: they wait for a person of the team, are attended, or go on. */
export const todayTalks: readonly DemoTalk[] = [
  {
    topic: 'Desconto que não apareceu no boleto',
    categories: ['financeiro', 'reclamação'],
    summary:
      'Tem 10% de desconto por ter a irmã na universidade, mas o boleto veio sem ele. Pede para falar com uma pessoa.',
    tip: 'Confira o vínculo da irmã e gere o boleto com o desconto.',
    mood: [-0.5, 'Está irritada: é o segundo mês sem o desconto.'],
    heat: 45,
    minutesAgo: [4],
    asked: [['Helena Vidal', 'oi, minha irmã também estuda aí e meu boleto veio SEM o desconto de novo']],
    lines: `
< Irmãos e cônjuges que estudam ao mesmo tempo têm 10% de desconto cada um. Os descontos não se acumulam: vale o maior.
> eu sei, mas é o segundo mês que vem errado. quero falar com uma pessoa
! Entendo, Helena, e sinto muito. Chamei uma pessoa da equipe para corrigir o boleto com você.
> ok, estou esperando`,
    ticket: 'Desconto de irmãos ausente no boleto',
  },
  {
    topic: 'Prazo do diploma',
    categories: ['secretaria', 'diploma', 'reclamação'],
    summary: 'O diploma passou do prazo de 90 dias, e um concurso o exige na sexta. Espera por uma pessoa.',
    tip: 'Veja o protocolo e ofereça uma declaração de conclusão.',
    mood: [-0.6, 'Está preocupado com o concurso.'],
    heat: 30,
    minutesAgo: [23],
    asked: [
      ['Antônio Carvalho', 'Boa tarde. Meu diploma já passou dos 90 dias e eu preciso dele para um concurso'],
    ],
    lines: `
< O diploma digital é emitido em até 90 dias depois da colação de grau e não custa nada.
> pois é, já faz 104 dias. A posse é na sexta!
! Vou chamar uma pessoa da equipe para ver o seu caso agora.
> obrigado, fico no aguardo`,
  },
  {
    topic: 'Nome social',
    categories: ['secretaria'],
    summary:
      'Quer usar o nome social na carteirinha e na chamada. Não está no conhecimento; espera por uma pessoa.',
    tip: 'Explique o pedido de nome social e escreva a passagem que falta.',
    mood: [0.1, 'Perguntou com cordialidade.'],
    heat: 25,
    minutesAgo: [51],
    asked: [['Dandara Oliveira', 'Oi! Como faço para usar meu nome social na carteirinha e na chamada?']],
    lines: `
! Não encontrei essa informação no material da universidade. Chamei uma pessoa da equipe para ajudar você.`,
  },
  {
    topic: 'Aproveitamento de disciplinas',
    categories: ['acadêmico', 'transferência'],
    summary:
      'Transferiu-se e quer dispensar três disciplinas. Bia recebeu os planos de ensino e confere com a coordenação.',
    tip: 'Responda com o resultado da coordenação.',
    mood: [0.3, 'Colabora e espera a resposta.'],
    heat: 60,
    minutesAgo: [9],
    attendedBy: 'Bia Souza',
    asked: [['Paula Resende', 'oi! cursei 3 matérias iguais em outra faculdade, consigo dispensa?']],
    lines: `
< Disciplinas cursadas em outra faculdade podem ser dispensadas quando têm pelo menos 75% do conteúdo e da carga horária iguais. O pedido de aproveitamento é feito no Portal do Aluno, com o histórico escolar e o plano de ensino de cada disciplina.
> já mandei tudo, mas queria confirmar com alguém se os planos servem
! Claro, Paula. Chamei uma pessoa da equipe para conferir com você.
Bia Souza: Oi, Paula! Recebi os três planos. Anatomia e Bioestatística parecem iguais; vou confirmar Fisiologia com a coordenação.
> que bom! precisa de mais algum documento?
# Bia Souza: Falei com a coordenação: respondem até as 17h.`,
  },
  {
    topic: 'Visita com a turma da escola',
    categories: ['ingresso', 'visita'],
    summary:
      'Professora quer trazer 35 alunos do terceiro ano para conhecer o campus. Rafael combina a data.',
    tip: 'Feche a data e reserve o auditório.',
    mood: [0.7, 'Está entusiasmada.'],
    heat: 80,
    minutesAgo: [32],
    attendedBy: 'Rafael Lima',
    asked: [
      [
        'Lúcia Hoffmann',
        'Olá, sou professora do ensino médio e queria levar minha turma para conhecer a universidade',
      ],
    ],
    lines: `
< Que ideia boa! A visita ao campus acontece aos sábados, às 10h, e é marcada em [horizonte.example/visita](https://horizonte.example/visita).
> são 35 alunos, precisaria ser num dia de semana
! Entendi. Chamei uma pessoa da equipe para combinar com você.
Rafael Lima: Oi, professora! Conseguimos receber a turma numa terça ou quinta de manhã. Qual semana é melhor?
> a última do mês seria perfeita`,
  },
  {
    topic: 'Estacionamento',
    categories: ['campus'],
    summary: 'Perguntou o preço do estacionamento.',
    tip: 'Nada a fazer: a dúvida foi resolvida.',
    mood: [0.1, 'Perguntou sem mostrar humor.'],
    heat: 10,
    minutesAgo: [2, 128],
    asked: [
      ['Nicolas Amaral', 'quanto é o estacionamento?'],
      ['Flávia Sobral', 'oi, o estacionamento do campus é pago?'],
    ],
    lines: `
< Os três campi têm estacionamento: alunos pagam R$ 8,00 por dia.`,
  },
  {
    topic: 'Pós-graduação',
    categories: ['ingresso', 'pós'],
    summary: 'É ex-aluna e quer fazer um MBA aos sábados. Soube do desconto.',
    tip: 'Ofereça uma conversa com a coordenação do MBA.',
    mood: [0.5, 'Gostou do desconto para ex-alunos.'],
    heat: 90,
    minutesAgo: [38, 205],
    asked: [
      ['Mônica Esteves', 'me formei aí em 2019, tem desconto na pós?'],
      ['Robson Caldas', 'Boa tarde! Vocês têm MBA presencial?'],
    ],
    lines: `
< O MBA presencial dura 18 meses, com aulas em sábados alternados, das 8h às 17h. Ex-alunos têm 25% de desconto.
> adorei, como me inscrevo?
< Para se inscrever é preciso ter diploma de graduação reconhecido pelo MEC.`,
  },
];
