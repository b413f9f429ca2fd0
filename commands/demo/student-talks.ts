import type { DemoTalk } from './talk.ts';

/** The conversations of students of the imaginary university. The answers are sentences of its knowledge (db/seed). */
export const studentTalks: readonly DemoTalk[] = [
  {
    topic: 'Horário da secretaria',
    categories: ['secretaria'],
    summary: 'Perguntou o horário da secretaria e se precisa agendar. Recebeu os dois.',
    tip: 'Nada a fazer: a dúvida foi resolvida.',
    mood: [0.5, 'Agradeceu pela resposta.'],
    heat: 20,
    asked: [
      ['Ana Beatriz Moreira', 'Oi, bom dia! Que horas abre a secretaria?'],
      ['Thiago Nascimento', 'a secretaria abre no sábado?'],
      ['', 'Qual o horário de atendimento da secretaria?'],
    ],
    lines: `
< A secretaria acadêmica atende de segunda a sexta-feira, das 8h às 21h, e aos sábados, das 8h às 12h. O atendimento presencial fica no térreo do Bloco A do campus Central, com retirada de senha até 20h30.
> e precisa agendar?
< Para evitar filas, agende pelo Portal do Aluno, menu **Serviços > Agendamento**.
> perfeito, obrigada!
< Por nada! Se precisar de mais alguma coisa, é só chamar.`,
  },
  {
    topic: 'Segunda via de boleto',
    categories: ['financeiro', 'boleto'],
    summary:
      'Perdeu o boleto da mensalidade. Soube onde emitir a segunda via e que também pode pagar por Pix.',
    tip: 'Se o boleto não aparecer no Portal, encaminhe ao setor financeiro.',
    mood: [0.3, 'Resolveu sem reclamar.'],
    heat: 25,
    asked: [
      ['Larissa Gomes', 'oi, perdi o boleto desse mês 😅 como pego outro?'],
      ['Pedro Henrique Alves', 'Boa tarde. O boleto não chegou no meu e-mail, onde eu emito a segunda via?'],
      ['Juliana Prado', 'segunda via do boleto por favor'],
    ],
    lines: `
< A segunda via do boleto é emitida no Portal do Aluno, menu **Financeiro > Boletos**, ou no aplicativo Horizonte, e já vem com os juros calculados.
> dá pra pagar por pix?
< Também é possível pagar a parcela por Pix no mesmo lugar, com o código copia e cola. O boleto atualizado vale até as 23h59 do dia em que é gerado.
> achei aqui, valeu 🙏`,
  },
  {
    topic: 'Vencimento da mensalidade',
    categories: ['financeiro'],
    summary: 'Quis saber o dia do vencimento e quanto se paga a mais depois dele.',
    tip: 'Lembre o desconto de quem paga até o dia 1º.',
    mood: [0, 'Perguntou sem mostrar humor.'],
    heat: 20,
    asked: [
      ['Rodrigo Bastos', 'que dia vence a mensalidade?'],
      ['Simone Araújo', 'Olá! Até que dia posso pagar a mensalidade sem multa?'],
    ],
    lines: `
< As mensalidades vencem no dia 8 de cada mês. Depois do vencimento há multa de 2% e juros de 1% ao mês.
> e se eu pagar antes tem desconto?
< Sim! Há desconto de 5% para quem paga até o dia 1º de cada mês.`,
  },
  {
    topic: 'Rematrícula',
    categories: ['acadêmico', 'rematrícula'],
    summary: 'Perguntou o prazo da rematrícula e o que acontece se o perder. Soube da taxa fora do prazo.',
    tip: 'Confira se há mensalidades em atraso: elas impedem a rematrícula.',
    mood: [0.2, 'Está com pressa, mas foi cordial.'],
    heat: 40,
    asked: [
      ['Gabriel Siqueira', 'oi! até quando posso fazer a rematrícula?'],
      ['Camila Rezende', 'Bom dia, como faço minha rematricula do proximo semestre?'],
      ['Vinícius Moraes', 'perdi o prazo da rematrícula, e agora??'],
    ],
    lines: `
< A rematrícula é obrigatória a cada semestre e é feita no Portal do Aluno, menu **Acadêmico > Rematrícula**. Para o primeiro semestre, o prazo vai de 2 a 20 de janeiro; para o segundo semestre, de 1º a 18 de julho.
> e depois do prazo ainda dá?
< Quem perde o prazo pode pedir rematrícula fora do prazo até 10 dias depois, com taxa de R$ 85,00 e sujeita a vagas.
> entendi, obrigado`,
  },
  {
    topic: 'Trancamento de matrícula',
    categories: ['acadêmico'],
    summary: 'Pensa em trancar o curso por um semestre. Soube do prazo e de que mantém o vínculo.',
    tip: 'Pergunte o motivo: bolsa ou negociação talvez evitem o trancamento.',
    mood: [-0.2, 'Está em dúvida se continua o curso.'],
    heat: 30,
    asked: [
      ['Letícia Fontes', 'queria trancar a faculdade esse semestre, como faz?'],
      ['Bruno Cardoso', 'Boa noite. Até quando posso pedir o trancamento da matrícula?'],
    ],
    lines: `
< O trancamento de matrícula pode ser pedido até 60 dias depois do início das aulas, pelo Portal do Aluno. O curso pode ficar trancado por até 4 semestres, seguidos ou alternados, e o aluno mantém o vínculo com a universidade.
> e as mensalidades atrasadas?
< As mensalidades vencidas até a data do pedido continuam devidas.`,
  },
  {
    topic: 'Bolsa de estudo',
    categories: ['financeiro', 'bolsa'],
    summary: 'Pediu informações sobre bolsa por renda. Soube quando se pede e quais documentos são precisos.',
    tip: 'Avise quando abrir o período da bolsa Social.',
    mood: [0.1, 'Depende da bolsa para estudar.'],
    heat: 70,
    asked: [
      ['Jéssica Paiva', 'vocês tem bolsa pra quem tem renda baixa?'],
      ['Diego Sampaio', 'Bom dia! Como consigo uma bolsa de estudos?'],
    ],
    lines: `
< A universidade participa do Prouni, com bolsas de 50% e de 100%, e tem bolsas próprias. A bolsa Social, de 20% a 60%, depende da renda familiar e é pedida em janeiro e em julho no site, com os documentos de renda de toda a família.
> e se eu reprovar perco a bolsa?
< Para manter a bolsa é preciso ser aprovado em pelo menos 75% das disciplinas do semestre.`,
  },
  {
    topic: 'Carteirinha de estudante',
    categories: ['secretaria', 'carteirinha'],
    summary: 'Perdeu a carteirinha física. Soube da taxa e que a digital vale como meia-entrada.',
    tip: 'Em caso de roubo com boletim de ocorrência, a segunda via é gratuita.',
    mood: [0, 'Perguntou sem mostrar humor.'],
    heat: 15,
    asked: [
      ['Aline Coutinho', 'perdi minha carteirinha, como tiro outra?'],
      [
        'Henrique Vasconcelos',
        'Me roubaram a carteira com a carteirinha da faculdade. Quanto é a segunda via?',
      ],
    ],
    lines: `
< A segunda via da carteirinha física custa R$ 30,00 e fica pronta em 3 dias úteis; em caso de roubo com boletim de ocorrência é gratuita. A carteirinha física, usada nas catracas, é retirada na secretaria.
> e a digital continua valendo?
< Sim: a carteirinha digital fica no aplicativo Horizonte, disponível para Android e iOS, e vale como meia-entrada.`,
  },
  {
    topic: 'Prova substitutiva',
    categories: ['acadêmico', 'provas'],
    summary: 'Faltou a uma prova por doença. Soube do prazo e de que o atestado dispensa a taxa.',
    tip: 'Confirme se o atestado foi anexado ao pedido.',
    mood: [-0.1, 'Estava preocupada com a nota.'],
    heat: 20,
    asked: [
      ['Tatiane Brito', 'faltei na prova pq tava doente, posso fazer outra?'],
      ['Caio Menezes', 'Como peço prova substitutiva?'],
    ],
    lines: `
< Quem falta a uma prova pode pedir a prova substitutiva pelo Portal do Aluno em até 3 dias úteis depois da data da prova. A taxa é de R$ 45,00 por disciplina.
> mas eu tenho atestado
< Então não precisa pagar. A taxa é dispensada com atestado médico, convocação militar ou judicial, ou certidão de óbito de parente próximo.`,
  },
  {
    topic: 'Biblioteca',
    categories: ['biblioteca'],
    summary: 'Perguntou até quando a biblioteca abre e quantos livros pode levar.',
    tip: 'Nada a fazer: a dúvida foi resolvida.',
    mood: [0.2, 'Agradeceu.'],
    heat: 10,
    asked: [
      ['Mariana Falcão', 'até que horas a biblioteca fica aberta?'],
      ['', 'quantos livros posso pegar na biblioteca?'],
    ],
    lines: `
< A biblioteca central funciona de segunda a sexta-feira, das 7h30 às 22h, e aos sábados, das 8h às 16h. Alunos de graduação podem retirar até 5 livros por 10 dias, com duas renovações pelo aplicativo.
> blz, obrigada`,
  },
  {
    topic: 'Senha do Portal do Aluno',
    categories: ['suporte'],
    summary: 'Não conseguia entrar no Portal. Recuperou a senha pelo e-mail cadastrado.',
    tip: 'Se o e-mail estiver desatualizado, encaminhe ao suporte técnico.',
    mood: [0.1, 'Começou irritado e terminou bem.'],
    heat: 15,
    asked: [
      ['Otávio Meireles', 'nao consigo entrar no portal, esqueci a senha'],
      ['Priscila Nogueira', 'Olá, meu acesso ao Portal do Aluno não funciona'],
    ],
    lines: `
< Para recuperar a senha, clique em **Esqueci minha senha**: o código chega no e-mail cadastrado. O usuário é o número de matrícula (RA) e a primeira senha são os seis primeiros dígitos do CPF.
> deu certo!!`,
  },
  {
    topic: 'Histórico e declarações',
    categories: ['secretaria', 'documentos'],
    summary: 'Precisa da declaração de matrícula para o estágio. Soube que a digital sai na hora.',
    tip: 'Nada a fazer: a dúvida foi resolvida.',
    mood: [0.4, 'Ficou aliviada.'],
    heat: 15,
    asked: [
      ['Renata Peixoto', 'preciso de uma declaração de matrícula urgente pro estágio'],
      ['Alexandre Viana', 'Como peço meu histórico escolar?'],
    ],
    lines: `
< O histórico escolar e as declarações de matrícula, de frequência e de conclusão são pedidos no Portal do Aluno, menu **Serviços > Documentos**. As declarações digitais são gratuitas e saem na hora, com código de verificação.
> e o histórico?
< O histórico escolar sai em até 5 dias úteis; a primeira via do semestre é gratuita e as seguintes custam R$ 25,00.`,
  },
  {
    topic: 'Diploma',
    categories: ['secretaria', 'diploma'],
    summary: 'Formou-se e perguntou quando recebe o diploma.',
    tip: 'Ofereça a pós-graduação: ex-alunos têm desconto.',
    mood: [0.3, 'Perguntou com calma.'],
    heat: 35,
    asked: [['Cristiane Monteiro', 'colei grau em março, quando sai meu diploma?']],
    lines: `
< O diploma digital é emitido em até 90 dias depois da colação de grau e não custa nada. Quem quer o diploma impresso em papel especial paga R$ 180,00.
> só o digital mesmo, obrigada`,
  },
  {
    topic: 'Endereço do campus',
    categories: ['campus'],
    summary: 'Perguntou onde fica o campus e se há estacionamento.',
    tip: 'Convide para a visita de sábado.',
    mood: [0.2, 'Perguntou com simpatia.'],
    heat: 55,
    asked: [
      ['Vanessa Rocha', 'onde fica o campus de vocês?'],
      ['', 'Tem estacionamento no campus central?'],
    ],
    lines: `
< O campus Central fica na Avenida das Palmeiras, 1500, em São Paulo, a 300 metros da estação de metrô. Os três campi têm estacionamento: alunos pagam R$ 8,00 por dia.
> posso conhecer antes de me matricular?
< Pode! A visita ao campus acontece aos sábados, às 10h, e é marcada em [horizonte.example/visita](https://horizonte.example/visita).`,
  },
  {
    topic: 'Apoio ao estudante',
    categories: ['apoio'],
    summary: 'Pediu tempo adicional de prova por ter TDAH. Soube a quem enviar o laudo.',
    tip: 'Confirme com o Núcleo se o laudo chegou.',
    mood: [0.3, 'Sentiu-se bem atendido.'],
    heat: 20,
    asked: [['Samuel Brandão', 'tenho tdah, consigo tempo a mais nas provas?']],
    lines: `
< O Núcleo de Apoio ao Estudante oferece intérprete de Libras, prova ampliada, ledor, tempo adicional e atendimento psicológico gratuito. O pedido é feito com laudo médico pelo e-mail apoio@horizonte.example, de preferência no início do semestre.
> muito obrigado, isso ajuda demais`,
  },
  {
    topic: 'Restaurante universitário',
    categories: ['campus', 'restaurante'],
    summary: 'Perguntou pelo restaurante universitário, que não está no conhecimento.',
    tip: 'Escreva uma passagem sobre o restaurante: é pergunta frequente.',
    mood: [-0.1, 'Ficou sem resposta.'],
    heat: 10,
    asked: [
      ['Leonardo Guedes', 'que horas abre o restaurante universitário?'],
      ['Yasmin Ferraz', 'o restaurante universitário abre no jantar?'],
      ['', 'tem restaurante universitário no campus Norte?'],
    ],
    lines: `
< Não encontrei essa informação no material da universidade. Se quiser, pergunte com outras palavras ou fale com a secretaria.
> ok`,
  },
  {
    topic: 'Ônibus para o campus',
    categories: ['campus', 'transporte'],
    summary: 'Perguntou por ônibus fretado, que não está no conhecimento.',
    tip: 'Confirme com a administração do campus se há fretado.',
    mood: [-0.2, 'Precisava da resposta para decidir o turno.'],
    heat: 45,
    asked: [
      ['Rafaela Dornelles', 'vocês tem ônibus fretado do metrô até o campus Norte?'],
      ['Igor Sabino', 'tem onibus fretado pro campus norte?'],
    ],
    lines: `
< Não encontrei essa informação no material da universidade. O telefone da secretaria é (11) 4002-1900, ramal 1, e o WhatsApp é (11) 94002-1900.`,
  },
  {
    topic: 'Intercâmbio',
    categories: ['acadêmico', 'intercâmbio'],
    summary: 'Quer fazer intercâmbio em Portugal. Rafael explicou o edital e o requisito de notas.',
    tip: 'Avise quando o edital sair.',
    mood: [0.6, 'Ficou animada.'],
    heat: 40,
    asked: [
      ['Manuela Assis', 'a universidade tem programa de intercâmbio?'],
      ['Guilherme Xavier', 'Boa tarde! Como participo do programa de intercâmbio?'],
    ],
    lines: `
! Não encontrei essa informação no material da universidade. Vou chamar alguém da equipe para ajudar.
Rafael Lima: Oi! Temos, sim: o programa de intercâmbio tem vagas em Portugal e na Argentina, com edital em março e em setembro. Para participar é preciso ter concluído dois semestres e ter média 7,5.
> que legal, obrigada!
Rafael Lima: Durante o intercâmbio a mensalidade aqui fica suspensa; passagem e moradia são por sua conta.
> obrigada, vou me preparar 😊`,
  },
  {
    topic: 'Bicicletário',
    categories: ['campus'],
    summary: 'Perguntou se pode deixar a bicicleta no campus, o que não está no conhecimento.',
    tip: 'Escreva uma passagem sobre o bicicletário.',
    mood: [0, 'Perguntou sem mostrar humor.'],
    heat: 10,
    asked: [['Joana Figueira', 'tem bicicletário no campus Central?']],
    lines: `
< Não encontrei essa informação no material da universidade. Os três campi têm estacionamento: alunos pagam R$ 8,00 por dia.`,
  },
  {
    topic: 'Negociação de mensalidades',
    categories: ['financeiro', 'negociação'],
    summary: 'Tem três mensalidades em atraso. Bia fechou um acordo em 6 parcelas no boleto, com entrada.',
    tip: 'Acompanhe o pagamento da entrada.',
    mood: [0.2, 'Chegou aflita e saiu com um acordo.'],
    heat: 50,
    asked: [
      ['Sandra Mesquita', 'estou com 3 mensalidades atrasadas, queria negociar'],
      ['Ricardo Paranhos', 'Boa tarde, preciso parcelar minhas mensalidades em atraso'],
    ],
    lines: `
< Mensalidades em atraso podem ser negociadas no Portal do Aluno, menu **Financeiro > Negociação**. A dívida pode ser dividida em até 12 parcelas no cartão ou em até 6 parcelas no boleto, com entrada de 20%.
> não tenho cartão, queria falar com uma pessoa
! Claro. Chamei uma pessoa da equipe para continuar.
Bia Souza: Oi, aqui é a Bia, do financeiro. Posso fazer em 6 parcelas no boleto, com entrada de 20% até sexta. Fica bom para você?
> fica sim!
Bia Souza: Pronto, o acordo está no Portal. Assim que a entrada cair, a rematrícula é liberada.
> muito obrigada mesmo`,
    ticket: 'Acordo de mensalidades em atraso',
  },
  {
    topic: 'Cobrança em duplicidade',
    categories: ['financeiro', 'reclamação'],
    summary: 'Pagou duas vezes a mesma mensalidade. Rafael confirmou e abateu o valor na próxima.',
    tip: 'Confira se o abatimento apareceu no boleto seguinte.',
    mood: [-0.4, 'Reclamou da cobrança, mas aceitou a solução.'],
    heat: 25,
    asked: [['Marcelo Teles', 'me cobraram duas vezes esse mês!! quero meu dinheiro de volta']],
    lines: `
! Sinto muito por isso. Valores pagos em duplicidade são devolvidos por inteiro ou abatidos na próxima mensalidade. Chamei uma pessoa da equipe para resolver com você.
Rafael Lima: Oi, Marcelo. Achei os dois pagamentos do dia 7. Prefere a devolução ou o abatimento na próxima?
> abate na próxima
Rafael Lima: Feito! O próximo boleto já vem com o desconto. Desculpe o transtorno.`,
    ticket: 'Pagamento em duplicidade',
  },
  {
    topic: 'Reclamação sobre nota',
    categories: ['acadêmico', 'reclamação'],
    summary: 'Discorda de uma nota e pediu uma pessoa fora do horário. Ninguém respondeu.',
    tip: 'Ligue e peça desculpas pela espera.',
    mood: [-0.7, 'Esperou e não teve resposta.'],
    heat: 20,
    asked: [['Júlio Serrano', 'minha nota de cálculo tá errada, o professor não somou a questão 4']],
    lines: `
< A revisão de prova deve ser pedida em até 5 dias úteis depois da publicação da nota.
> já pedi e ninguém responde. quero falar com alguém
! Entendo. Chamei uma pessoa da equipe, que responde no próximo horário de atendimento.
> alguém aí??`,
  },
  {
    topic: 'Estágio',
    categories: ['acadêmico', 'estágio'],
    summary: 'Perguntou do termo de estágio e parou de responder.',
    tip: 'Confirme se o termo foi enviado no prazo.',
    mood: [0, 'Perguntou sem mostrar humor.'],
    heat: 20,
    asked: [['Tainá Borges', 'consegui um estágio! onde entrego o termo?']],
    lines: `
< Parabéns! O termo de compromisso deve ser enviado à Central de Carreiras, carreiras@horizonte.example, pelo menos 10 dias antes do início, assinado pela empresa e pelo aluno.
> e se faltar menos de 10 dias?
! Isso eu não consigo confirmar. Chamei uma pessoa da equipe para responder.`,
  },
  {
    topic: 'Reembolso da matrícula',
    categories: ['financeiro', 'reembolso'],
    summary: 'Desistiu da matrícula e pediu o reembolso. Voltou dias depois, porque o valor não tinha caído.',
    tip: 'Verifique o protocolo: o prazo é de 30 dias.',
    mood: [-0.3, 'Voltou a perguntar pelo mesmo pedido.'],
    heat: 20,
    asked: [
      ['Carla Bittencourt', 'desisti do curso antes de começar, recebo de volta o que paguei?'],
      ['Anderson Luz', 'Como peço reembolso da matrícula?'],
    ],
    lines: `
< Quem desiste da matrícula antes do início das aulas recebe de volta 80% do valor pago. O pedido de reembolso é feito por protocolo no Portal do Aluno, com os dados bancários do titular.
> ok, fiz o pedido
= 4
> oi, ainda não recebi meu reembolso
< A devolução é feita em até 30 dias.
> tá bom, aguardo`,
  },
  {
    topic: 'Horas complementares',
    categories: ['acadêmico'],
    summary: 'Enviou certificados de horas complementares e voltou para saber da análise.',
    tip: 'A coordenação tem 20 dias para responder.',
    mood: [0, 'Perguntou sem mostrar humor.'],
    heat: 10,
    asked: [['Elaine Portela', 'como mando meus certificados de horas complementares?']],
    lines: `
< Os certificados são enviados pelo Portal do Aluno, menu **Acadêmico > Atividades complementares**, e a coordenação responde em até 20 dias.
> enviado!
= 3
> quantas horas são mesmo no bacharelado?
< Os bacharelados exigem 200 horas de atividades complementares e as licenciaturas, 100 horas.`,
  },
];
