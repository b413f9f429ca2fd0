/** Singular and plural of a word: each must find the other, with and without accents. */
export const numbers: readonly string[] = `
ação/ações inscrição/inscrições graduação/graduações pensão/pensões reunião/reuniões cartão/cartões milhão/milhões
pão/pães cão/cães capitão/capitães alemão/alemães escrivão/escrivães
mão/mãos irmão/irmãos cidadão/cidadãos órgão/órgãos bênção/bênçãos cristão/cristãos grão/grãos
animal/animais edital/editais federal/federais jornal/jornais hospital/hospitais mensal/mensais sal/sais
espanhol/espanhóis farol/faróis lençol/lençóis azul/azuis paul/pauis
papel/papéis nível/níveis imóvel/imóveis disponível/disponíveis responsável/responsáveis hotel/hotéis móvel/móveis
fácil/fáceis difícil/difíceis útil/úteis perfil/perfis funil/funis barril/barris fértil/férteis
jovem/jovens imagem/imagens homem/homens ordem/ordens viagem/viagens item/itens
fim/fins jardim/jardins boletim/boletins bom/bons som/sons tom/tons comum/comuns álbum/álbuns
hífen/hífens abdômen/abdomens
professor/professores cor/cores flor/flores lugar/lugares mulher/mulheres líder/líderes setor/setores dólar/dólares
mar/mares dor/dores favor/favores hambúrguer/hambúrgueres
vez/vezes luz/luzes raiz/raízes juiz/juízes cruz/cruzes aprendiz/aprendizes voz/vozes
mês/meses país/países inglês/ingleses português/portugueses francês/franceses gás/gases freguês/fregueses
rês/reses japonês/japoneses
tese/teses hipótese/hipóteses síntese/sínteses fase/fases base/bases classe/classes análise/análises crise/crises
interesse/interesses parêntese/parênteses
aluno/alunos curso/cursos prova/provas bolsa/bolsas disciplina/disciplinas turma/turmas taxa/taxas vaga/vagas
documento/documentos requerimento/requerimentos universidade/universidades semestre/semestres chave/chaves
nome/nomes índice/índices monitor/monitores reitor/reitores cota/cotas prazo/prazos campo/campos
mãe/mães rei/reis lei/leis boi/bois herói/heróis troféu/troféus chapéu/chapéus degrau/degraus museu/museus
irmã/irmãs órfã/órfãs manhã/manhãs aula/aulas limão/limões anel/anéis túnel/túneis botão/botões aluguel/aluguéis
link/links e-mail/e-mails site/sites gol/gols show/shows curriculum/curriculums
táxi/táxis júri/júris café/cafés avó/avós chá/chás pé/pés sofá/sofás cipó/cipós
formando/formandos mestrando/mestrandos doutorando/doutorandos graduando/graduandos vestibulando/vestibulandos
orientando/orientandos portão/portões bolão/bolões bolsão/bolsões deus/deuses
casa/casas caso/casos mesa/mesas porto/portos porta/portas nota/notas árvore/árvores torre/torres mala/malas
`
  .trim()
  .split(/\s+/);

/** Similar words with different meanings: neither may find the other. */
export const strangers: readonly string[] = `
mês/mesa meses/mesas pão/pau pães/país país/pai mão/mau mãe/mão mães/mãos casa/caso casas/casos porto/porta
bolsa/bolso conta/conto banco/banca ponto/ponta cargo/carga modo/moda prato/prata livro/livre folha/filho
cão/cal cães/cais sal/sol mal/mel mil/mel fim/fã bem/bom som/sim cor/coral cor/corpo lei/leitura rei/real
mala/mal vez/voz luz/lua raiz/raio gás/gasto nota/noite nível/nave papel/papa perfil/perda hotel/hora azul/asa
jovem/jogo homem/humor ordem/orla imagem/ímã irmão/irmandade cidadão/cidade órgão/orgulho ação/aço
edital/edição jornal/jornada hospital/hóspede animal/ânimo federal/federação prova/provérbio vaga/vagão
curso/curto turma/turno taxa/táxi campo/campanha prazo/praça nome/número cota/costa chave/chaveiro
aluno/aluguel inglês/inglório professor/profissão base/baixa tese/teste fase/face classe/clássico
barra/barro manga/mango cola/colo portão/porta bolão/bolo formando/formato mestrando/mestre doutorando/doutor
`
  .trim()
  .split(/\s+/);

export const stopWords: readonly string[] = `
não nao você voce vocês voces também tambem até ate só so há ha já ja é e à a às as são sao está esta estão estao
será sera terá tera mais mas depois para por que como ou de da do das dos um uma uns com sem em no na nos nas nós
`
  .trim()
  .split(/\s+/);
