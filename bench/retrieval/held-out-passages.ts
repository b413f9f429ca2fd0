/** Passages of the held-out questions; never used for tuning. */
export const heldOutPassages = {
  clinica: `# Clínica-Escola de Psicologia

A Clínica-Escola oferece atendimento psicológico gratuito à comunidade, realizado por estudantes do 8º ao 10º período sob supervisão de professores. A triagem é feita às segundas-feiras, das 14h às 18h, por ordem de chegada, com 20 vagas por semana. São atendidos crianças a partir de 5 anos, adolescentes, adultos e idosos. As sessões duram 50 minutos e são semanais. Não são feitos laudos para fins judiciais nem atendimentos de urgência. A clínica funciona na Rua Serra Dourada, 45, bairro Horto, e o telefone para informações é (31) 3829-4471. A responsável técnica é a psicóloga Beatriz Nogueira, CRP 04/21877.`,

  isencao: `## Isenção da taxa de inscrição

Tem direito à isenção o candidato que:

- cursou todo o ensino médio em escola pública;
- está inscrito no CadÚnico;
- é doador regular de sangue, com ao menos duas doações nos últimos 12 meses.

O requerimento deve ser feito até 10 de outubro, na página do vestibular, anexando-se o comprovante. O resultado é publicado em 17 de outubro e cabe recurso em dois dias úteis. Quem tiver o pedido negado ainda pode se inscrever pagando a taxa até o fim das inscrições.`,

  carteirinha: `### Carteirinha estudantil
A carteirinha digital é emitida de graça no aplicativo UniIpê Mobile, na aba "Meu cadastro". A versão física é opcional, custa R$ 18,00 e deve ser retirada na Central do Aluno 5 dias úteis depois do pedido.
Ela dá direito à meia-entrada em cinemas e shows e libera as catracas do campus. Em caso de perda ou roubo, bloqueie o cartão imediatamente no aplicativo. A validade é de um ano, sempre até 31 de março.`,

  nucleo: `# Núcleo de Acessibilidade e Inclusão (NAI)

O NAI acompanha estudantes com deficiência, transtorno do espectro autista, TDAH, dislexia e altas habilidades. O estudante se cadastra na matrícula ou a qualquer momento, apresentando laudo emitido nos últimos 24 meses. Entre os recursos oferecidos estão intérprete de Libras, prova ampliada, ledor e transcritor, tempo adicional de até 60 minutos nas provas e mobiliário adaptado. O núcleo é dirigido pela pedagoga Simone Arruda e fica no Bloco B, sala 07. O atendimento pode ser agendado por mensagem para nai@valedoipe.edu.br. O cão-guia tem acesso livre a todos os espaços da universidade.`,

  facom: `A Faculdade de Computação (FACOMP) foi criada em 1998, a partir do desmembramento do Departamento de Matemática Aplicada. Oferece os cursos de Ciência da Computação, Engenharia de Software e Sistemas de Informação, além do mestrado profissional em Computação Aplicada, recomendado pela Capes com conceito 4. O ingresso no mestrado é semestral, por meio de edital que prevê prova escrita, análise do currículo e entrevista. O curso de Ciência da Computação tem carga horária total de 3.240 horas, funciona em período integral e deve ser concluído em no mínimo oito e no máximo doze semestres. São oferecidas 60 vagas por ano. A faculdade conta com 34 professores, dos quais 27 são doutores. O diretor é o Prof. Dr. Edson Takahashi, e a vice-diretora, a Profa. Dra. Renata Boaventura. A empresa júnior, chamada IpêTech, foi fundada em 2011 e desenvolve sites e aplicativos para pequenos negócios da região.`,

  restaurante: `# Restaurante universitário

| Refeição | Horário | Aluno | Visitante |
|---|---|---|---|
| Café da manhã | 6h45 às 8h30 | R$ 3,00 | R$ 7,00 |
| Almoço | 11h às 14h | R$ 6,50 | R$ 18,00 |
| Jantar | 17h45 às 20h | R$ 5,50 | R$ 16,00 |

O restaurante fica no Centro de Convivência e tem 280 lugares. Os créditos são comprados no aplicativo ou no caixa, em dinheiro ou Pix. Há sempre uma opção vegetariana. Alunos com bolsa integral não pagam o almoço. O cardápio da semana é publicado às sextas-feiras no Instagram.`,

  requerimentos: `# Requerimentos acadêmicos

Requerimento é o pedido formal que o estudante faz à universidade. Todos são abertos no Portal do Aluno, em Serviços > Requerimentos, e recebem um número de protocolo para acompanhamento. Os prazos e as taxas são estes:

| Pedido | Prazo | Taxa |
|---|---|---|
| Atestado de conclusão | 3 dias úteis | grátis |
| Conteúdo programático | 10 dias úteis | R$ 40,00 |
| Guia de transferência | 5 dias úteis | grátis |
| Mudança de turno | 15 dias úteis | R$ 35,00 |

O requerimento indeferido pode ser revisto uma única vez pelo colegiado do curso. Pedidos sem pagamento da taxa são cancelados depois de 48 horas.`,

  iniciacao: `# Iniciação científica

O Programa de Iniciação Científica (PIC) aproxima o aluno de graduação da pesquisa. São 45 bolsas da Fapemig, no valor de R$ 700,00 por mês, com duração de doze meses. Para concorrer, o estudante precisa ter cursado ao menos dois semestres, ter média geral acima de 70, currículo Lattes atualizado e não ter vínculo empregatício. A dedicação é de 20 horas semanais. O bolsista deve entregar um relatório parcial em fevereiro e o final em agosto, e apresentar os resultados na Semana de Iniciação Científica. Quem não tem bolsa pode participar como voluntário e também recebe certificado. A pró-reitora de Pesquisa é a Profa. Dra. Ingrid Valadão.`,

  segundagrad: `**Segunda graduação e obtenção de novo título**

Quem já tem diploma de curso superior reconhecido pelo MEC entra sem vestibular, havendo vagas.
**Documentos:** diploma (frente e verso), histórico da graduação, RG e CPF.
**Desconto:** 40% em todas as mensalidades dos cursos EAD e 20% nos presenciais.
**Prazo de análise:** 4 dias úteis a contar do envio completo.
**Dúvidas:** segundagraduacao@valedoipe.edu.br ou WhatsApp (31) 99812-6060.
As disciplinas equivalentes já cursadas podem ser dispensadas, desde que o aproveitamento seja pedido até 30 dias depois do início das aulas. Diplomas estrangeiros precisam ser revalidados antes por universidade pública.`,

  moradia: `# Moradia estudantil

A Casa do Estudante tem 96 vagas para alunos de outras cidades com renda familiar de até um salário mínimo e meio por pessoa. A taxa de condomínio é de R$ 90,00 mensais, que já inclui água, luz e internet. A seleção ocorre em fevereiro, por edital da Pró-Reitoria de Assuntos Estudantis (PROAE). Cada quarto recebe três moradores. Visitas são permitidas até as 22h; festas, não. O morador que reprovar por falta perde a vaga. A administradora da casa, Dona Neuza Pimentel, atende de segunda a sexta-feira pela manhã.`,

  enade: `# Enade

O Exame Nacional de Desempenho dos Estudantes (Enade) avalia o rendimento dos concluintes dos cursos de graduação e é componente curricular obrigatório. Quem é convocado e não faz a prova fica em situação irregular e não pode colar grau. A inscrição é feita pela própria universidade, mas o estudante precisa preencher o Questionário do Estudante no Sistema Enade até a véspera do exame. Em 2026 a prova será aplicada em 22 de novembro, com abertura dos portões às 12h e fechamento às 13h (horário de Brasília). São 40 questões: 10 de formação geral e 30 do componente específico. A duração é de quatro horas. A ausência pode ser justificada ao Inep mediante pedido de dispensa.`,

  extensao: `# Cursos livres e extensão

Os cursos de extensão são abertos à comunidade e não exigem escolaridade, salvo indicação no folheto. O Centro de Idiomas ensina inglês, espanhol, francês e Libras em módulos de 60 horas, a R$ 140,00 por mês; funcionários e alunos pagam metade. O teste de nivelamento é gratuito e pode ser agendado pelo telefone (31) 3829-4490. As turmas têm de 8 a 18 pessoas. O certificado sai em até 20 dias para quem tiver 75% de presença. O projeto Universidade Sênior atende pessoas com mais de 60 anos com oficinas de memória, informática e dança, às terças e quintas de manhã, sem nenhum custo.`,
} as const;
