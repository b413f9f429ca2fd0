import type { DemoTalk } from './talk.ts';

/** The conversations of people who want to study at the imaginary university. */
export const applicantTalks: readonly DemoTalk[] = [
  {
    topic: 'Inscrição no vestibular',
    categories: ['ingresso', 'vestibular'],
    summary: 'Quer entrar pelo vestibular online, que é gratuito, e recebeu o endereço da inscrição.',
    tip: 'Mande o link da inscrição de novo e pergunte o curso.',
    mood: [0.6, 'Está animada para começar.'],
    heat: 85,
    asked: [
      ['Isabela Martins', 'Oi! quero fazer o vestibular de vcs, como me inscrevo?'],
      ['João Pedro Farias', 'quando é o vestibular?'],
      ['Natália Queiroz', 'Boa tarde, gostaria de me inscrever no vestibular de Psicologia'],
    ],
    lines: `
< O vestibular tradicional é aplicado em 30 de novembro e em 28 de junho, com inscrição até uma semana antes. O vestibular online acontece toda semana: é só uma redação, feita em casa, é gratuito e o resultado sai em 48 horas.
> prefiro o online! onde faço a inscrição?
< A inscrição é feita em [horizonte.example/vestibular](https://horizonte.example/vestibular).
> show, vou me inscrever hoje. posso deixar meu telefone pra me ligarem?
< Claro! Anotei o seu interesse, e a equipe de matrículas entra em contato. Boa prova!`,
  },
  {
    topic: 'Ingresso com a nota do ENEM',
    categories: ['ingresso', 'enem'],
    summary: 'Tem nota do ENEM acima de 700 e quer saber do desconto. Recebeu as condições.',
    tip: 'Média acima de 700: o desconto vale no curso inteiro. Ligue hoje.',
    mood: [0.7, 'Ficou contente com o desconto.'],
    heat: 90,
    asked: [
      ['Matheus Ribeiro', 'dá pra entrar com a nota do enem?'],
      ['Sofia Barcellos', 'Oi! Fiz o ENEM ano passado e tirei 712 de média, consigo desconto?'],
    ],
    lines: `
< Quem fez o ENEM nos últimos cinco anos, com pelo menos 400 pontos de média e sem zerar a redação, pode entrar sem fazer o vestibular. Médias acima de 700 pontos dão 40% de desconto no curso inteiro.
> que ótimo!! o que preciso mandar?
< Para usar a nota, informe o número de inscrição do ENEM no formulário do site.`,
  },
  {
    topic: 'Transferência de outra faculdade',
    categories: ['ingresso', 'transferência'],
    summary:
      'Estuda em outra faculdade e quer se transferir. Soube dos documentos e do desconto do primeiro ano.',
    tip: 'Peça o histórico: a análise curricular é gratuita.',
    mood: [0.4, 'Gostou do desconto.'],
    heat: 80,
    asked: [
      [
        'Fernanda Tavares',
        'Faço Enfermagem em outra faculdade e quero transferir pra Horizonte. Como funciona?',
      ],
      ['Lucas Andrade', 'oi, como faço transferência de outra faculdade? preciso de vestibular?'],
    ],
    lines: `
< A transferência externa é aceita durante o ano todo, sem vestibular, conforme as vagas do curso. É preciso enviar o histórico escolar, a declaração de vínculo e os planos de ensino das disciplinas aprovadas.
> demora?
< A análise curricular é gratuita e fica pronta em até 10 dias úteis. Quem se transfere para a Horizonte tem 30% de desconto no primeiro ano.
> vou juntar os documentos, obrigada!`,
  },
  {
    topic: 'Cursos a distância',
    categories: ['ingresso', 'ead'],
    summary: 'Procura um curso a distância por causa do trabalho. Soube do preço e de que o diploma é igual.',
    tip: 'Ofereça a visita ao polo mais próximo.',
    mood: [0.3, 'Está interessado e compara preços.'],
    heat: 75,
    asked: [
      ['Wellington Duarte', 'quanto custa a ead?'],
      ['Patrícia Lemos', 'Trabalho o dia todo, vocês têm curso a distância? Quanto fica por mês?'],
    ],
    lines: `
< As mensalidades da EAD começam em R$ 199,00. Os cursos a distância têm aulas gravadas e um encontro ao vivo por semana, às 19h30.
> o diploma é igual ao presencial?
< Sim. O diploma da EAD é igual ao do curso presencial e tem a mesma validade.`,
  },
  {
    topic: 'Documentos da matrícula',
    categories: ['ingresso', 'matrícula'],
    summary: 'Passou no vestibular e perguntou quais documentos enviar e até quando.',
    tip: 'Confira se a primeira parcela foi paga: sem ela a matrícula não vale.',
    mood: [0.8, 'Está feliz por ter passado.'],
    heat: 95,
    asked: [
      ['Beatriz Camargo', 'passei!!! 🎉 o que eu preciso pra matrícula?'],
      ['Eduardo Pacheco', 'Quais documentos preciso enviar para a matrícula de calouro?'],
    ],
    lines: `
< Parabéns! A matrícula de calouros é feita pela internet em até 5 dias depois do resultado. Os documentos são RG, CPF, certidão de nascimento ou casamento, certificado e histórico do ensino médio, comprovante de residência e uma foto.
> tenho 17 anos, muda algo?
< Menores de 18 anos precisam da assinatura do responsável. A matrícula vale depois do pagamento da primeira parcela e do aceite do contrato.
> obrigado, vou mandar tudo amanhã`,
  },
  {
    topic: 'Valor da mensalidade do curso',
    categories: ['ingresso', 'preço'],
    summary:
      'Quis saber o preço de um curso presencial, que não está no conhecimento. Recebeu o contato da central.',
    tip: 'Ligue com o valor do curso: a pessoa compara faculdades.',
    mood: [-0.3, 'Ficou sem o valor que pediu.'],
    heat: 80,
    asked: [
      ['Amanda Lacerda', 'qual o valor da mensalidade do curso de Direito?'],
      ['Felipe Antunes', 'quanto é a mensalidade do curso de Direito?'],
      ['Bárbara Sales', 'Oi, queria saber o valor da mensalidade de Direito'],
    ],
    lines: `
< Não encontrei essa informação no material da universidade. A central de inscrições atende pelo 0800 400 1910 e pelo WhatsApp (11) 94002-1910, de segunda a sexta-feira, das 8h às 22h, e aos sábados, das 9h às 15h.
> tá, vou ligar lá`,
  },
  {
    topic: 'Valor da mensalidade do curso',
    categories: ['ingresso', 'preço'],
    summary: 'Quis saber o preço de Enfermagem. Bia mandou o valor e ficou de enviar a simulação com bolsa.',
    tip: 'Envie a simulação prometida.',
    mood: [0.5, 'Gostou do atendimento.'],
    heat: 85,
    asked: [['Débora Freitas', 'Qual é o valor da mensalidade do curso de Enfermagem?']],
    lines: `
! Não encontrei essa informação no material da universidade. Chamei uma pessoa da equipe para continuar.
Bia Souza: Oi, Débora! A mensalidade do curso de Enfermagem no campus Central é de R$ 1.180,00 de manhã e R$ 1.090,00 à noite.
> ótimo, tenho interesse na bolsa Social também
Bia Souza: Com a bolsa Social pode cair até 60%. Mando uma simulação no seu e-mail ainda hoje, tá?
> perfeito, obrigada Bia!`,
  },
];
