import { expect } from 'chai';
import { readHtml } from '../../../workers/knowledge/parser/read-html.ts';

describe('what a page does not show in its own place', () => {
  const linesOf = (html: string) =>
    readHtml(html).blocks.flatMap(block => ('text' in block ? block.text.split('\n') : []));

  it('are the contacts of its footer, once, and nothing else of it', () => {
    const footer = `<footer><p>Nossas redes</p><p>Rua das Flores, 120 – Centro<br>CEP 01310-100</p><p>Telefone:</p><p>(11) 3344-5566</p>
      <a href="mailto:oi@exemplo.br">Fale conosco</a><p>CNPJ 12.345.678/0001-90</p><p>© 2027</p><p>0800 123 4567</p></footer>`;
    expect(linesOf(`<main><h1>Guia</h1><p>Ligue: 0800 123 4567</p></main>${footer}`)).to.deep.equal([
      'Guia',
      'Ligue: 0800 123 4567',
      '',
      'Rua das Flores, 120 – Centro',
      'CEP 01310-100',
      'Telefone:',
      '(11) 3344-5566',
      '[Fale conosco](mailto:oi@exemplo.br)',
    ]);
  });

  it('are the questions of its data, but those that it shows', () => {
    const faq = (name: string, text: string) => ({
      '@type': 'Question',
      name,
      acceptedAnswer: { '@type': 'Answer', text },
    });
    const data = {
      '@graph': [
        {
          '@type': ['FAQPage'],
          mainEntity: [faq('Qual é a taxa?', '<p>São <b>R$ 90</b>.</p>'), faq('Há vagas?', 'Sim.')],
        },
      ],
    };
    const script = `<script type="application/ld+json">${JSON.stringify(data)}</script><script type="application/ld+json">{</script>`;
    expect(linesOf(`${script}<h1>Guia</h1><p>Há vagas?</p>`)).to.deep.equal([
      'Guia',
      'Há vagas?',
      '',
      'Qual é a taxa?',
      'São R$ 90.',
    ]);
  });

  it('are the words of its pictures, but of those that have one word, a file as their name, or a link', () => {
    const html =
      '<p>Veja <img alt="Mensalidade de Direito: R$ 900"><img alt="Logo"><img alt="foto do campus.jpg"></p><p><a href="https://x.br/"><img alt="Mapa do campus"> Mapa</a></p>';
    expect(linesOf(html)).to.deep.equal(['Veja Mensalidade de Direito: R$ 900', '[Mapa](https://x.br/)']);
  });

  it('is no text in white, unless something stands behind it', () => {
    const white = [
      'style="color:#fff"',
      'style="font-size:9px; color: white;"',
      'style="color:rgb(255, 255, 255)"',
    ];
    for (const style of white)
      expect(linesOf(`<p>Sim <span ${style}>oculto</span></p>`)).to.deep.equal(['Sim']);
    expect(linesOf('<p>Sim <font color="#FFFFFF">oculto</font></p>')).to.deep.equal(['Sim']);
    const shown =
      '<div style="background:#003"><p style="color:#fff">A</p></div><p class="bg-azul" style="color:white">B</p><p style="color:#fff0f0">C</p><section id="capa"><p><span style="color:#fff">D</span></p></section>';
    expect(linesOf(shown)).to.deep.equal(['A', 'B', 'C', 'D']);
  });
});
