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
