const groups = [
  'a o as os um uma uns umas ao aos à da do das dos de em no na nos nas num numa por pelo pela pelos pelas',
  'para pra pro pras pros com sem sob sobre entre ate desde apos ante perante contra mediante conforme',
  'e ou mas nem que se como porem porque pois quando onde quem qual quais quanto quanta quantos quantas porque',
  'eu tu ele ela nos voce voces vc vcs eles elas me te lhe lhes meu minha meus minhas seu sua seus suas nosso',
  'nossa nossos nossas dele dela deles delas este esta estes estas esse essa esses essas aquele aquela isso isto',
  'aquilo neste nesta nesse nessa deste desta desse dessa disso disto nisso ai la ali aqui ca cada todo toda todos todas',
  'sou e es somos sao era eram foi foram fui ser sera serao seria seja sejam sendo sido estou esta estao estava',
  'estar estao estive esteja estejam to ta tao tenho tem temos tinha ter tera terao teria tenha tenham ha havia haver houver',
  'vou vai vamos vao ir posso pode podem podemos poder podera poderia consigo consegue conseguem quero quer queria',
  'queremos gostaria preciso precisa precisam precisar devo deve devem dever faco faz fazem fazer feito feita feitos feitas fiz',
  'sei saber sabe sabem sabia dizer diz diga fala falar falam informar informe informa explicar explica explique',
  'favor gentileza obrigado obrigada oi ola bom boa dia tarde noite ok entao agora ja so mais menos muito muita',
  'muitos muitas tambem tb tbm ainda nao n nunca sempre bem mesmo mesma outro outra outros outras algum alguma alguns',
  'algumas alguem nada tudo td algo qualquer tipo coisa coisas existe existem ajuda ajudar duvida duvidas pergunta',
  'hoje hj amanha aonde donde cujo cuja depois antes durante enquanto caso assim apenas eh q p pf pfv blz dar da dao',
  'acontece acontecer fica ficam ficar gente passo vez vezes',
];

/** Stop words, in comparable form (words.ts). */
export const stopWords: ReadonlySet<string> = new Set(groups.join(' ').split(' '));
