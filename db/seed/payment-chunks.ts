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
