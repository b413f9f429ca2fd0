/** Knowledge of the imaginary university for its students: offices, courses, records. */
export const studyChunks: readonly string[] = [
  `# Horário de atendimento da secretaria

A secretaria acadêmica atende de segunda a sexta-feira, das 8h às 21h, e aos sábados, das 8h às 12h. O atendimento presencial fica no térreo do Bloco A do campus Central, com retirada de senha até 20h30. Nos feriados e no recesso de fim de ano, de 23 de dezembro a 2 de janeiro, a secretaria não abre. Para evitar filas, agende pelo Portal do Aluno, menu **Serviços > Agendamento**.`,

  `# Contatos da secretaria acadêmica

O telefone da secretaria é (11) 4002-1900, ramal 1, e o WhatsApp é (11) 94002-1900. O e-mail é secretaria@horizonte.example e a resposta chega em até 2 dias úteis. Pedidos com prazo, como trancamento e transferência, devem ser abertos por protocolo no Portal do Aluno, porque mensagens de e-mail não valem como requerimento.`,

  `# Rematrícula

A rematrícula é obrigatória a cada semestre e é feita no Portal do Aluno, menu **Acadêmico > Rematrícula**. Para o primeiro semestre, o prazo vai de 2 a 20 de janeiro; para o segundo semestre, de 1º a 18 de julho. Para concluir, é preciso não ter mensalidades em atraso, escolher as disciplinas, aceitar o contrato e pagar a primeira parcela do semestre. Quem perde o prazo pode pedir rematrícula fora do prazo até 10 dias depois, com taxa de R$ 85,00 e sujeita a vagas.`,

  `# Trancamento e cancelamento de matrícula

O trancamento de matrícula pode ser pedido até 60 dias depois do início das aulas, pelo Portal do Aluno. O curso pode ficar trancado por até 4 semestres, seguidos ou alternados, e o aluno mantém o vínculo com a universidade. Calouros só podem trancar a partir do segundo semestre. O cancelamento encerra o vínculo: para voltar é preciso novo processo seletivo ou reingresso. As mensalidades vencidas até a data do pedido continuam devidas.`,

  `# Calendário acadêmico

As aulas do primeiro semestre começam em 10 de fevereiro e terminam em 4 de julho. As aulas do segundo semestre começam em 4 de agosto e terminam em 12 de dezembro. As provas finais são aplicadas na última semana de cada semestre, e os exames de recuperação na semana seguinte. O recesso de julho vai de 7 a 31 de julho. O calendário completo fica em [horizonte.example/calendario](https://horizonte.example/calendario).`,

  `# Notas, frequência e aprovação

A nota mínima para aprovação é 6,0 e a frequência mínima é de 75% das aulas. Quem fica com média entre 4,0 e 5,9 pode fazer o exame de recuperação, e a média final passa a ser a média entre as duas notas. Com menos de 4,0 ou com frequência abaixo de 75%, a disciplina precisa ser refeita. A revisão de prova deve ser pedida em até 5 dias úteis depois da publicação da nota.`,

  `# Prova substitutiva

Quem falta a uma prova pode pedir a prova substitutiva pelo Portal do Aluno em até 3 dias úteis depois da data da prova. A taxa é de R$ 45,00 por disciplina. A taxa é dispensada com atestado médico, convocação militar ou judicial, ou certidão de óbito de parente próximo. Cada aluno pode fazer uma prova substitutiva por disciplina em cada semestre.`,

  `# Aproveitamento de disciplinas

Disciplinas cursadas em outra faculdade podem ser dispensadas quando têm pelo menos 75% do conteúdo e da carga horária iguais. O pedido de aproveitamento é feito no Portal do Aluno, com o histórico escolar e o plano de ensino de cada disciplina. A coordenação do curso responde em até 15 dias úteis. O aproveitamento é gratuito e não pode passar de 60% da carga horária do curso.`,

  `# Biblioteca

A biblioteca central funciona de segunda a sexta-feira, das 7h30 às 22h, e aos sábados, das 8h às 16h. Alunos de graduação podem retirar até 5 livros por 10 dias, com duas renovações pelo aplicativo. A multa por atraso é de R$ 2,00 por livro e por dia útil. As salas de estudo em grupo são reservadas por até 2 horas, no site da biblioteca. A biblioteca digital, com mais de 12 mil títulos, fica aberta 24 horas.`,

  `# Estágio

O estágio obrigatório começa a partir do quinto semestre, e o estágio não obrigatório pode começar no segundo. O termo de compromisso deve ser enviado à Central de Carreiras, carreiras@horizonte.example, pelo menos 10 dias antes do início, assinado pela empresa e pelo aluno. A jornada máxima é de 6 horas por dia e 30 horas por semana. A universidade paga o seguro contra acidentes pessoais do estágio obrigatório.`,

  `# TCC: trabalho de conclusão de curso

O TCC é feito nos dois últimos semestres do curso, com um professor orientador. A matrícula em TCC exige 80% da carga horária do curso concluída. A versão final deve ser entregue em PDF no Portal do Aluno até 20 dias antes da banca. A banca tem o orientador e dois convidados, e a nota mínima é 7,0. O manual de normas, com o modelo em ABNT, está na página da biblioteca.`,

  `# Horas complementares

Os bacharelados exigem 200 horas de atividades complementares e as licenciaturas, 100 horas. Valem palestras, cursos livres, monitoria, iniciação científica, voluntariado e extensão. Os certificados são enviados pelo Portal do Aluno, menu **Acadêmico > Atividades complementares**, e a coordenação responde em até 20 dias. Sem as horas completas o aluno não pode colar grau.`,

  `# Histórico escolar, declarações e outros documentos

O histórico escolar e as declarações de matrícula, de frequência e de conclusão são pedidos no Portal do Aluno, menu **Serviços > Documentos**. As declarações digitais são gratuitas e saem na hora, com código de verificação. O histórico escolar sai em até 5 dias úteis; a primeira via do semestre é gratuita e as seguintes custam R$ 25,00. O plano de ensino de cada disciplina custa R$ 10,00.`,

  `# Diploma e colação de grau

A colação de grau acontece em março e em setembro. O diploma digital é emitido em até 90 dias depois da colação de grau e não custa nada. Quem quer o diploma impresso em papel especial paga R$ 180,00. A segunda via do diploma custa R$ 250,00 e leva até 60 dias. A colação antecipada pode ser pedida com comprovante de emprego, concurso ou pós-graduação.`,

  `# Carteirinha de estudante

A carteirinha digital fica no aplicativo Horizonte, disponível para Android e iOS, e vale como meia-entrada. Ela é liberada até 2 dias úteis depois da matrícula, desde que haja uma foto aprovada. A carteirinha física, usada nas catracas, é retirada na secretaria. A segunda via da carteirinha física custa R$ 30,00 e fica pronta em 3 dias úteis; em caso de roubo com boletim de ocorrência é gratuita.`,

  `# Portal do Aluno: acesso e senha

O Portal do Aluno fica em [portal.horizonte.example](https://portal.horizonte.example). O usuário é o número de matrícula (RA) e a primeira senha são os seis primeiros dígitos do CPF. Para recuperar a senha, clique em **Esqueci minha senha**: o código chega no e-mail cadastrado. Problemas de acesso são resolvidos pelo suporte técnico, suporte@horizonte.example, de segunda a sábado, das 7h às 22h.`,

  `# Ouvidoria

A ouvidoria recebe reclamações, denúncias, elogios e sugestões quando o atendimento comum não resolveu. O contato é ouvidoria@horizonte.example ou 0800 400 1900, de segunda a sexta-feira, das 9h às 18h. A resposta é dada em até 10 dias úteis e o sigilo é garantido. É preciso informar o número do protocolo do primeiro atendimento.`,

  `# Campi e endereços

O campus Central fica na Avenida das Palmeiras, 1500, em São Paulo, a 300 metros da estação de metrô. O campus Norte fica na Rua do Sol, 220, em Guarulhos, e o campus Litoral fica na Avenida da Praia, 90, em Santos. Os três campi têm estacionamento: alunos pagam R$ 8,00 por dia. O polo de educação a distância mais próximo pode ser visto em [horizonte.example/polos](https://horizonte.example/polos).`,

  `# Acessibilidade e apoio ao estudante

O Núcleo de Apoio ao Estudante oferece intérprete de Libras, prova ampliada, ledor, tempo adicional e atendimento psicológico gratuito. O pedido é feito com laudo médico pelo e-mail apoio@horizonte.example, de preferência no início do semestre. O atendimento psicológico é de até 10 sessões por semestre e é marcado pelo aplicativo. O núcleo atende de segunda a sexta-feira, das 9h às 20h, no Bloco B, sala 12.`,
];

/** Knowledge of the imaginary university for people who want to enroll. */
export const enrollmentChunks: readonly string[] = [
  `# Vestibular

O vestibular tradicional é aplicado em 30 de novembro e em 28 de junho, com inscrição até uma semana antes. A taxa de inscrição é de R$ 40,00. A prova tem uma redação e 50 questões e dura 4 horas. O vestibular online acontece toda semana: é só uma redação, feita em casa, é gratuito e o resultado sai em 48 horas. A inscrição é feita em [horizonte.example/vestibular](https://horizonte.example/vestibular).`,

  `# Ingresso com a nota do ENEM

Quem fez o ENEM nos últimos cinco anos, com pelo menos 400 pontos de média e sem zerar a redação, pode entrar sem fazer o vestibular. Médias acima de 700 pontos dão 40% de desconto no curso inteiro. Para usar a nota, informe o número de inscrição do ENEM no formulário do site. Os cursos de Medicina e Odontologia só aceitam o vestibular tradicional.`,

  `# Matrícula de calouros

A matrícula de calouros é feita pela internet em até 5 dias depois do resultado. Os documentos são RG, CPF, certidão de nascimento ou casamento, certificado e histórico do ensino médio, comprovante de residência e uma foto. Homens maiores de 18 anos enviam também o certificado de reservista. A matrícula vale depois do pagamento da primeira parcela e do aceite do contrato. Menores de 18 anos precisam da assinatura do responsável.`,

  `# Transferência de outra faculdade

A transferência externa é aceita durante o ano todo, sem vestibular, conforme as vagas do curso. É preciso enviar o histórico escolar, a declaração de vínculo e os planos de ensino das disciplinas aprovadas. A análise curricular é gratuita e fica pronta em até 10 dias úteis. Quem se transfere para a Horizonte tem 30% de desconto no primeiro ano.`,

  `# Troca de curso, de turno ou de campus

A transferência interna de curso, de turno ou de campus é pedida no Portal do Aluno, de 1º a 15 de dezembro e de 1º a 15 de junho. Só vale se houver vaga, e o valor da mensalidade passa a ser o do novo curso. A troca de turno é gratuita e pode ser feita uma vez por ano. Calouros podem trocar de curso depois do primeiro semestre.`,

  `# Cursos oferecidos

São 42 cursos de graduação. Na saúde há Medicina, Enfermagem, Psicologia, Odontologia, Fisioterapia e Nutrição. Em exatas há Ciência da Computação, Análise e Desenvolvimento de Sistemas, Engenharia Civil e Engenharia de Produção. Em humanas e negócios há Direito, Administração, Ciências Contábeis, Pedagogia e Marketing. Os bacharelados duram de 4 a 6 anos, as licenciaturas 4 anos e os tecnólogos de 2 a 3 anos.`,

  `# Educação a distância (EAD)

Os cursos a distância têm aulas gravadas e um encontro ao vivo por semana, às 19h30. As provas são presenciais, no polo escolhido, uma vez por bimestre. As mensalidades da EAD começam em R$ 199,00. O diploma da EAD é igual ao do curso presencial e tem a mesma validade. Para estudar é preciso um computador ou celular com internet; os laboratórios do polo podem ser usados de graça.`,

  `# Polos de apoio presencial

Há 28 polos de apoio em cinco estados: São Paulo, Minas Gerais, Paraná, Bahia e Pernambuco. Os polos funcionam de segunda a sexta-feira, das 13h às 21h, e aos sábados, das 8h às 12h. A troca de polo é gratuita e é pedida no Portal do Aluno até 15 dias antes das provas. No polo é possível fazer provas, usar o laboratório e entregar documentos.`,

  `# Pós-graduação e MBA

A universidade tem 35 cursos de especialização e MBA, presenciais e a distância. A pós-graduação a distância dura de 6 a 12 meses e custa a partir de 12 parcelas de R$ 149,00. O MBA presencial dura 18 meses, com aulas em sábados alternados, das 8h às 17h. Para se inscrever é preciso ter diploma de graduação reconhecido pelo MEC. Ex-alunos têm 25% de desconto.`,

  `# Visita ao campus e contato para quem quer estudar aqui

A visita ao campus acontece aos sábados, às 10h, e é marcada em [horizonte.example/visita](https://horizonte.example/visita). A central de inscrições atende pelo 0800 400 1910 e pelo WhatsApp (11) 94002-1910, de segunda a sexta-feira, das 8h às 22h, e aos sábados, das 9h às 15h. Também é possível assistir a uma aula como convidado, sem compromisso.`,
];

/** Knowledge of the imaginary university about money. */
export const paymentChunks: readonly string[] = [
  `# Mensalidades: vencimento e formas de pagamento

As mensalidades vencem no dia 8 de cada mês. O pagamento pode ser feito por boleto, Pix, cartão de crédito ou débito automático. O semestre é dividido em 6 parcelas, e a primeira é paga na matrícula ou na rematrícula. Depois do vencimento há multa de 2% e juros de 1% ao mês. O comprovante aparece no Portal do Aluno em até 3 dias úteis; pagamentos por Pix aparecem na hora.`,

  `# Segunda via de boleto

A segunda via do boleto é emitida no Portal do Aluno, menu **Financeiro > Boletos**, ou no aplicativo Horizonte, e já vem com os juros calculados. O boleto atualizado vale até as 23h59 do dia em que é gerado. Também é possível pagar a parcela por Pix no mesmo lugar, com o código copia e cola. Se o boleto não aparecer, fale com o setor financeiro.`,

  `# Contatos do setor financeiro

O setor financeiro atende de segunda a sexta-feira, das 9h às 19h, no Bloco A, guichês 5 a 8. O telefone do financeiro é (11) 4002-1900, ramal 3, e o e-mail é financeiro@horizonte.example. O WhatsApp do financeiro é (11) 94002-1903. Tenha em mãos o número de matrícula e o CPF do responsável financeiro.`,

  `# Negociação de mensalidades em atraso

Mensalidades em atraso podem ser negociadas no Portal do Aluno, menu **Financeiro > Negociação**. A dívida pode ser dividida em até 12 parcelas no cartão ou em até 6 parcelas no boleto, com entrada de 20%. À vista há desconto de 100% da multa e dos juros. Enquanto o acordo é pago em dia, o aluno pode fazer a rematrícula. Mais de 90 dias de atraso podem levar à inscrição nos serviços de proteção ao crédito.`,

  `# Descontos na mensalidade

Há desconto de 5% para quem paga até o dia 1º de cada mês. Irmãos e cônjuges que estudam ao mesmo tempo têm 10% de desconto cada um. Ex-alunos que voltam para uma segunda graduação têm 30% de desconto. Funcionários de empresas conveniadas têm de 10% a 20% de desconto, conforme o convênio, e a lista fica em [horizonte.example/convenios](https://horizonte.example/convenios). Os descontos não se acumulam: vale o maior.`,

  `# Bolsas de estudo

A universidade participa do Prouni, com bolsas de 50% e de 100%, e tem bolsas próprias. A bolsa Mérito dá 50% de desconto aos três melhores colocados do vestibular de cada curso. A bolsa Social, de 20% a 60%, depende da renda familiar e é pedida em janeiro e em julho no site, com os documentos de renda de toda a família. Para manter a bolsa é preciso ser aprovado em pelo menos 75% das disciplinas do semestre.`,

  `# FIES e crédito estudantil

A universidade aceita o FIES em todos os cursos presenciais com nota 3 ou mais no MEC. A inscrição é feita no site do Ministério da Educação, e depois o aluno entrega os documentos à CPSA, no Bloco A, sala 4. Existe ainda o crédito próprio HorizontePay, que permite pagar metade da mensalidade durante o curso e a outra metade depois de formado, sem juros e com correção pelo IPCA.`,

  `# Reembolso e devolução de valores

Quem desiste da matrícula antes do início das aulas recebe de volta 80% do valor pago. O pedido de reembolso é feito por protocolo no Portal do Aluno, com os dados bancários do titular. A devolução é feita em até 30 dias. Depois do início das aulas a parcela do mês não é devolvida. Valores pagos em duplicidade são devolvidos por inteiro ou abatidos na próxima mensalidade.`,

  `# Informe de pagamentos para o imposto de renda

O informe de pagamentos para a declaração do imposto de renda fica no Portal do Aluno a partir de 28 de fevereiro, menu **Financeiro > Informes**. Ele sai no nome do responsável financeiro cadastrado. Correções no nome ou no CPF devem ser pedidas pelo e-mail financeiro@horizonte.example.`,
];
