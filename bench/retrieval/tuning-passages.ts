/** Knowledge of an imaginary university for the tuning questions. */
export const tuningPassages = {
  matricula: `# Matrícula de calouros

A matrícula dos candidatos aprovados no Vestibular 2026 da Universidade Vale do Ipê ocorre entre 12 e 23 de janeiro de 2026, exclusivamente pelo Portal do Candidato. Quem perder esse período poderá ser chamado apenas na lista de espera, divulgada em 2 de fevereiro.

Para efetivar a matrícula é preciso enviar os seguintes documentos digitalizados:

- RG ou outro documento oficial com foto;
- CPF;
- certidão de nascimento ou de casamento;
- histórico escolar e certificado de conclusão do ensino médio;
- comprovante de residência emitido há no máximo 90 dias;
- uma foto 3x4 recente.

A conferência é feita pela Secretaria Acadêmica em até 3 dias úteis. O candidato menor de 18 anos deve anexar também a autorização assinada pelo responsável legal.`,

  mensalidade: `## Valores e formas de pagamento

| Curso | Turno | Mensalidade | Duração |
|---|---|---|---|
| Administração | Noite | R$ 789,90 | 8 semestres |
| Direito | Manhã | R$ 1.345,00 | 10 semestres |
| Enfermagem | Integral | R$ 1.612,50 | 10 semestres |
| Psicologia | Noite | R$ 1.480,00 | 10 semestres |
| Sistemas de Informação | EAD | R$ 299,00 | 8 semestres |

O vencimento das mensalidades é todo dia 10. Quem paga até o dia 5 tem 8% de desconto por pontualidade. Depois do vencimento incide multa de 2% mais juros de 1% ao mês. O pagamento pode ser feito por boleto, Pix ou cartão de crédito em até 6 vezes.`,

  boleto: `### Como emito a 2ª via do boleto?
Entre no Portal do Aluno, abra o menu **Financeiro** e clique em **Meus boletos**. Escolha a parcela em aberto e selecione "Gerar segunda via". O arquivo em PDF fica disponível na hora.

### O boleto vencido pode ser pago?
Sim, por até 30 dias depois do vencimento em qualquer banco. Passado esse prazo é necessário negociar a dívida com o setor de cobrança pelo WhatsApp (31) 98877-1020.

### Em quanto tempo o pagamento é compensado?
Boletos levam até 2 dias úteis; pagamentos por Pix são reconhecidos em alguns minutos.`,

  biblioteca: `# Biblioteca Central Prof. Darcy Lemos

A Biblioteca Central fica no térreo do Bloco C do campus de Ipatinga. Funciona de segunda a sexta, das 7h30 às 22h, e aos sábados, das 8h às 14h. Não abre aos domingos e feriados.

## Empréstimos

Alunos de graduação podem retirar até 5 livros por 10 dias corridos. Alunos de pós-graduação e professores podem retirar até 8 obras por 21 dias. A renovação é feita pela internet, no máximo três vezes, desde que não haja reserva de outro leitor. A devolução em atraso gera multa de R$ 1,50 por dia e por exemplar.

## Biblioteca digital

O acervo digital "Minha Estante" tem mais de 14 mil títulos e é acessado com o mesmo login do AVA. A bibliotecária responsável é a Sra. Noêmia Prado.`,

  provas: `# Provas e avaliações

Cada disciplina tem duas avaliações, A1 e A2, valendo 40 e 60 pontos. É aprovado quem alcança média igual ou superior a 60 pontos e tem frequência mínima de 75% nas aulas presenciais. Quem fica com nota entre 40 e 59 faz o exame especial. Quem fica abaixo de 40 está reprovado.

O aluno que faltar a uma avaliação pode pedir a prova substitutiva (segunda chamada) no Portal do Aluno, em até 5 dias úteis, mediante pagamento de taxa de R$ 45,00. A taxa é dispensada em caso de doença comprovada por atestado médico, luto ou serviço militar. A revisão de nota deve ser pedida ao professor até 72 horas depois da publicação do resultado.`,

  bolsas: `# Bolsas e financiamentos

A Universidade Vale do Ipê mantém quatro programas de apoio:

1. **ProUni**: bolsas de 50% e 100% para quem fez o Enem, conforme a renda familiar.
2. **Fies**: financiamento federal, com inscrição no site do Ministério da Educação.
3. **Bolsa Mérito**: desconto de 30% para os três primeiros colocados de cada curso no vestibular.
4. **Bolsa Família Ipê**: desconto de 15% para irmãos, pais e filhos que estudam na instituição.

As bolsas não são cumulativas. A Bolsa Mérito é perdida se o aluno tiver mais de uma reprovação no mesmo semestre. O programa é coordenado pela assistente social Helena Tavares, que atende na sala 12 do Bloco A, às terças e quintas, das 13h às 17h.`,

  estagio: `# Estágio supervisionado

O estágio obrigatório começa no 6º período e soma 300 horas na maior parte dos cursos; em Enfermagem são 820 horas e em Direito, 360. O estágio não obrigatório pode ser feito a partir do 2º período e vale como atividade complementar.

Antes de começar, o estudante precisa entregar o Termo de Compromisso de Estágio assinado por ele, pela empresa e pela universidade. O seguro contra acidentes pessoais é pago pela instituição no estágio obrigatório e pela empresa concedente no não obrigatório. A jornada não pode passar de 6 horas diárias e 30 semanais, como manda a Lei nº 11.788/2008. O Núcleo de Estágios responde pelo e-mail estagios@valedoipe.edu.br.`,

  calendario: `# Calendário acadêmico 2026/1

| Evento | Data |
|---|---|
| Início das aulas (veteranos) | 2 de fevereiro |
| Início das aulas (calouros) | 9 de fevereiro |
| Último dia para trancamento | 10 de abril |
| Semana de Iniciação Científica | 18 a 22 de maio |
| Avaliações finais | 15 a 26 de junho |
| Encerramento do semestre | 4 de julho |

Não há aulas nos feriados nacionais nem no dia 29 de abril, aniversário de Ipatinga. As férias de julho vão até o dia 1º de agosto.`,

  secretaria: `**Secretaria Acadêmica**
Atendimento presencial: segunda a sexta, das 9h às 20h30; sábado, das 8h às 12h.
Telefone: (31) 3829-4400, ramal 2
E-mail: secretaria@valedoipe.edu.br
Local: Bloco A, sala 3, ao lado da cantina.
O atendimento é por senha, retirada no totem da entrada. Declarações simples (matrícula, frequência, vínculo) saem na hora pelo Portal do Aluno, sem custo. O histórico escolar oficial fica pronto em 7 dias úteis e custa R$ 25,00; a primeira via é gratuita para formandos.`,

  polos: `# Polos de apoio presencial

Os cursos a distância têm polos em cinco cidades de Minas Gerais: Coronel Fabriciano, Timóteo, Caratinga, Governador Valadares e João Monlevade.

- Polo Caratinga: Rua Cel. Antônio Saturnino, 210, Centro. Coordenador: Paulo Meireles. Tel. (33) 3321-7788.
- Polo Governador Valadares: Av. Minas Gerais, 1.502, bairro Lourdes. Coordenadora: Ana Lúcia Brandão. Tel. (33) 3275-9001.
- Polo Timóteo: Praça 1º de Maio, 88. Coordenador: Jonas Abreu. Tel. (31) 3848-2200.

As provas presenciais da EAD são feitas no polo em que o aluno está vinculado. A mudança de polo pode ser pedida uma vez por semestre, sem taxa.`,

  vestibular: `# Vestibular 2026

O vestibular pode ser feito de três formas: prova on-line agendada, prova presencial ou nota do Enem. As inscrições vão de 1º de setembro a 30 de novembro de 2025 e custam R$ 30,00; quem usa a nota do Enem não paga. A prova on-line consiste em uma redação de 20 a 30 linhas, que deve ser escrita em até 2 horas. A prova presencial, aplicada no dia 14 de dezembro às 14h, tem 40 questões de múltipla escolha e uma redação. Para entrar pelo Enem é preciso ter feito o exame a partir de 2018, com média mínima de 450 pontos e redação diferente de zero. O resultado sai em 19 de dezembro no site vestibular.valedoipe.edu.br.`,

  ead: `# Educação a distância (EAD)

Todo o conteúdo das disciplinas fica no AVA, o Ambiente Virtual de Aprendizagem, em ava.valedoipe.edu.br. O primeiro acesso é feito com o CPF como usuário e a data de nascimento (ddmmaaaa) como senha provisória. Se esquecer a senha, clique em "Esqueci minha senha" e siga as instruções enviadas ao e-mail cadastrado.

As aulas são gravadas e há um encontro ao vivo por semana, às quartas-feiras, às 19h30, que não é obrigatório. Cada tutor acompanha no máximo 50 estudantes e responde às dúvidas em até 48 horas. O certificado e o diploma não mencionam a modalidade do curso.`,

  historia: `A Universidade Vale do Ipê (UniIpê) é uma instituição comunitária de ensino superior com sede em Ipatinga, no leste de Minas Gerais. Foi fundada em 15 de março de 1969 pelo engenheiro Otávio Drummond Rezende, então como Faculdade de Engenharia do Aço, com o objetivo de formar mão de obra para a siderurgia da região. Em 1987 a faculdade foi transformada em centro universitário e, em 2004, recebeu do Ministério da Educação o título de universidade. Hoje mantém 38 cursos de graduação, 21 de especialização, quatro programas de mestrado e um de doutorado, distribuídos em três campi. Cerca de 11.200 estudantes e 640 docentes fazem parte da comunidade acadêmica. A atual reitora, Profa. Dra. Marta Queiroz, foi eleita em 2023 para um mandato de quatro anos. O seu lema é "Saber que transforma".`,

  trancamento: `# Trancamento, transferência e cancelamento

O trancamento suspende os estudos por até dois semestres, seguidos ou não, sem perda do vínculo com a universidade. É solicitado no Portal do Aluno, em Requerimentos > Trancamento, até a data fixada no calendário acadêmico. Durante o trancamento não se paga mensalidade, mas o estudante precisa estar em dia com as parcelas anteriores. Calouros não podem trancar no primeiro semestre.

O cancelamento encerra o vínculo. Se for pedido antes do início das aulas, 80% do valor da matrícula é devolvido em até 30 dias.

A transferência de outra faculdade depende de vaga e de análise do histórico e das ementas, que leva 10 dias úteis. O aproveitamento de disciplinas exige carga horária igual ou superior a 75% da original.`,

  complementares: `# Atividades complementares

Atividades complementares são experiências fora da grade curricular que ampliam a formação do estudante, tais como cursos, monitoria, extensão, congressos e trabalho voluntário. Todo aluno precisa cumprir 200 horas até o penúltimo período. Nenhum tipo de atividade pode responder por mais de 80 horas. Os certificados são enviados pelo aplicativo UniIpê Mobile, em formato PDF, e avaliados pelo coordenador do curso no prazo de 15 dias. Certificados sem carga horária ou sem assinatura são recusados.`,

  diploma: `# Colação de grau e diploma

A colação de grau é o ato oficial e obrigatório em que o formando recebe o grau. A cerimônia coletiva de 2026/1 será no Teatro Zélia Olguin, em 14 de agosto, às 19h. Quem não puder participar pede a colação em gabinete, realizada na Reitoria na última sexta-feira de cada mês. O diploma é expedido em até 120 dias depois da colação e a primeira via não tem custo. A segunda via do diploma custa R$ 180,00. O registro é digital, conforme a Portaria nº 554/2019 do MEC, e o documento chega por e-mail em formato XML com uma representação visual em PDF.`,

  tcc: `# Trabalho de conclusão de curso (TCC)

O TCC é um trabalho individual ou em dupla, orientado por um docente, e é feito nos dois últimos períodos. No TCC 1 o aluno elabora o projeto; no TCC 2, desenvolve e defende o trabalho. A banca é formada pelo orientador e por mais dois avaliadores. A apresentação dura 20 minutos, seguidos de até 30 minutos de arguição. É aprovado o trabalho com nota mínima de 70. Os textos passam por verificação de plágio no programa Copyspider, e um índice de semelhança superior a 20% obriga a reescrever o trabalho. A versão final deve ser depositada no Repositório Institucional até 15 dias após a defesa.`,

  ouvidoria: `# Contatos

Central de Relacionamento: 0800 283 1969 (ligação gratuita), de segunda a sábado, das 8h às 21h.
WhatsApp: (31) 99755-1969
Ouvidoria: ouvidoria@valedoipe.edu.br, resposta em até 10 dias úteis. A ouvidora é a professora Cássia Fontoura.
Financeiro: financeiro@valedoipe.edu.br, (31) 3829-4410
Suporte de TI (senha, AVA, Wi-Fi): suporte.ti@valedoipe.edu.br, (31) 3829-4455
Instagram: @uniipe
Endereço do campus sede: Av. Selim José de Sales, 1.830, bairro Bethânia, Ipatinga, MG, CEP 35164-213.`,

  pos: `# Pós-graduação lato sensu

As especializações têm 360 horas e duram de 10 a 18 meses, com aulas em sábados alternados, das 8h às 17h. Para se inscrever é preciso ter diploma de graduação em qualquer área. A seleção é feita por análise de currículo, sem prova. O investimento é de 18 parcelas de R$ 349,00, e ex-alunos da UniIpê têm 25% de abatimento. O MBA em Gestão de Projetos é coordenado pelo Prof. Me. Ricardo Salgueiro. As turmas começam em março e em agosto, desde que haja pelo menos 15 inscritos; se esse número não for alcançado, o valor pago é devolvido integralmente.`,

  transporte: `# Como chegar e onde estacionar

O campus sede tem 600 vagas de estacionamento, gratuitas para alunos com o adesivo de identificação, que é retirado na portaria 2 com o documento do carro. Visitantes pagam R$ 4,00 por período. A linha de ônibus 210 (Centro–Bethânia) passa em frente ao campus a cada 20 minutos. O bicicletário coberto fica atrás do Bloco D. Há ônibus fretado de Coronel Fabriciano e de Timóteo para as turmas da noite, com mensalidade de R$ 160,00; a reserva é feita no Diretório Central dos Estudantes. O meio-passe estudantil é emitido pela empresa Saritur mediante declaração de matrícula.`,

  regimento: `Art. 41. O aluno terá direito a regime de exercícios domiciliares nos casos de gestação, a partir do 8º mês e por três meses, e de doença infectocontagiosa ou traumatismo que impeça a presença por mais de 15 dias.
§ 1º O pedido deve ser protocolado na Secretaria Acadêmica em até 5 dias úteis do início do afastamento, acompanhado de laudo médico com o CID e a data provável de retorno.
§ 2º O regime não se aplica a estágios, aulas práticas e atividades de laboratório.
Art. 42. São penalidades disciplinares: I - advertência; II - repreensão; III - suspensão de até 30 dias; IV - desligamento.
Parágrafo único. Da penalidade cabe recurso ao Conselho Universitário no prazo de 10 dias corridos.`,

  laboratorios: `# Laboratórios de informática

Há sete laboratórios de informática no Bloco D, com 210 computadores ao todo. Ficam abertos das 8h às 22h em dias de aula. Fora do horário de aula o uso é livre, bastando apresentar a carteirinha ao monitor. A impressão custa R$ 0,25 por página em preto e branco e R$ 1,00 em cores, e cada aluno tem uma cota gratuita de 50 páginas por semestre. É proibido comer, beber ou instalar programas. Para usar a rede sem fio, conecte-se a **UniIpe-Alunos** com o número de matrícula e a senha do portal.`,

  rematricula: `## Rematrícula

- **Quem deve fazer:** todos os veteranos, a cada semestre.
- **Período:** de 5 a 16 de janeiro de 2026.
- **Onde:** aplicativo UniIpê Mobile ou Portal do Aluno.
- **Condição:** não ter parcelas em atraso nem livros pendentes na biblioteca.
- **Carga mínima:** 3 disciplinas ou 12 créditos.

Quem não fizer a rematrícula no prazo perde a preferência na escolha de turmas e paga uma taxa de R$ 60,00. A rematrícula só é confirmada depois do pagamento da primeira parcela do semestre. O ajuste de disciplinas (inclusão e exclusão) pode ser feito até 13 de fevereiro.`,

  intercambio: `# Mobilidade internacional

A Assessoria de Relações Internacionais (ARI) mantém convênios com 17 universidades em 9 países, entre elas a Universidade do Porto, em Portugal, e a Universidad de Salamanca, na Espanha. O estudante pode ficar fora de um a dois semestres, pagando apenas a mensalidade da UniIpê. Podem se candidatar alunos que tenham concluído pelo menos 30% do curso e tenham coeficiente de rendimento mínimo de 75. A proficiência exigida é de nível B2. O edital sai duas vezes por ano, em abril e outubro. Passagem, moradia e seguro-saúde são por conta do estudante, mas há cinco bolsas Santander de R$ 12.000,00 por edital. A assessora é Lívia Castanheira e o contato é ari@valedoipe.edu.br.`,
} as const;
