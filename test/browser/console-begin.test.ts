import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openMadeUpSite } from '../support/made-up-site.ts';
import { openEach, openOnce } from '../support/opened.ts';
import { fail, hold, type ModelRequest, type ModelScript, say } from '../support/scripted-model.ts';
import type { ServedHost } from '../support/served-host.ts';
import { openOwnService } from '../support/service.ts';
import { openConsole } from './console-page.ts';

describe('Começar on the page at /console', () => {
  const service = openOwnService({ egressAllowPrivate: true });
  const { db, model } = service;
  const host: ServedHost = openOnce(() => service.addHost());
  const site = openEach(openMadeUpSite);
  /** As a person who manages, whom first steps are shown. */
  const enterByLink = async (page: Page) => {
    const person = { name: 'Caio Lima', email: 'caio@horizonte.example', role: 'manager' };
    const { personId } = (await host.call('savePerson', person)).body.data;
    await page.goto((await host.call('invitePerson', { personId })).body.data.link);
    await page.getByRole('button', { name: 'Entrar no painel' }).click();
    await page.locator('#views').waitFor();
  };
  const { watched, page, enter, button, check } = openConsole(service, enterByLink);

  const questionOf = ({ messages }: ModelRequest) => String(messages.at(-1)?.content);
  const answers: ModelScript = (request, response) =>
    say(/taxa/i.test(questionOf(request)) ? 'A taxa é de R$ 85,00.' : 'Não encontrei essa informação.')(
      request,
      response,
    );
  beforeEach(() => {
    model.script(answers);
    site.publish(['vestibular']);
    const types = { headers: { 'content-type': 'text/html; charset=utf-8' } };
    site.answer('', { body: '<p>Oi</p>', ...types });
    site.answer('vestibular', {
      body: '<title>Vestibular</title><h2>Taxa de inscrição</h2><p>A taxa é de R$ 85,00.</p><h2>Como me inscrevo?</h2><p>No portal.</p>',
      ...types,
    });
  });

  const begin = async (address: string) => {
    await page.getByLabel('Endereço').fill(address);
    await button('Começar').click();
  };
  const trouble = (text: string) => page.getByRole('alert').getByText(text).waitFor();
  const countsOf = async (...tables: string[]) => {
    const counts = tables.map(table => db(table).where({ host_id: host.hostId }).count('* as count').first());
    return (await Promise.all(counts)).map(row => Number(row?.['count']));
  };
  const made = () => countsOf('datasets', 'avatars', 'document_imports', 'documents');

  it('goes from an address to what is answered and from where, through reloads, and makes nothing twice', async () => {
    const [datasets = 0, avatars = 0] = await made();
    await enter('atendimento');
    await page.getByRole('link', { name: 'Comece pelo endereço do seu site' }).click();
    await page.getByLabel('Endereço').waitFor();
    await check();
    const asked: string[] = [];
    const held = hold(answers);
    model.script((request, response) => {
      asked.push(questionOf(request));
      return (/inscrevo/.test(questionOf(request)) ? held.script : answers)(request, response);
    });
    await begin(site.origin);
    await page.reload();
    await held.held;
    await page.getByText('Falta responder 1 pergunta.').waitFor();
    await check();
    const before = asked.length;
    await page.reload();
    held.release();
    await page
      .getByText('De 2 perguntas: 1 com resposta do site, 0 para conferir, 1 sem resposta.')
      .waitFor();
    expect(asked.slice(before).filter(question => !/inscrevo/.test(question))).to.deep.equal([]);
    const answered = page.getByRole('article').filter({ hasText: 'Qual é a taxa de inscrição?' });
    for (const text of ['Respondida pelo site', 'A taxa é de R$ 85,00.'])
      await answered.getByText(text, { exact: true }).waitFor();
    const source = answered.getByRole('link', { name: `${site.origin}/vestibular` });
    expect(await source.getAttribute('href')).to.equal(`${site.origin}/vestibular`);
    await check();
    expect(await made()).to.deep.equal([datasets + 1, avatars + 1, 1, 1]);
    const download = page.waitForEvent('download');
    await button('Salvar em um arquivo').click();
    const file = await readFile(await (await download).path(), 'utf8');
    expect(file).to.match(/class="missing">\s*<h3>Como me inscrevo\?/);
    expect(file).not.to.match(/<script/i);
    expect(watched.complaints).to.deep.equal([]);
  });

  it('says plainly that an address is none, that a site refuses, and that an assistant has its name already', async () => {
    const before = await made();
    await enter('comecar');
    await begin('exemplo .edu.br');
    await trouble('Endereço: precisa ser um endereço inteiro');
    await button('Outro endereço').click();
    site.answer('', { status: 403 });
    await begin(site.origin);
    await trouble(`Não foi possível ler ${site.origin}/: o endereço não respondeu,`);
    await check();
    expect(await made()).to.deep.equal(before);
    site.answer('', { body: '<p>Oi</p>' });
    const sub_slug = site.origin.replace(/^http:\/\//, '').replaceAll(/\W/g, '-');
    await host.call('createSubAvatar', { avatar_name: 'Bia', sub_slug });
    await button('Tentar de novo').click();
    await trouble(`Já existe um assistente “${sub_slug}” que não lê este site`);
  });

  it('says plainly that no model answers, keeps what was answered, and goes on when one does', async () => {
    const broken = fail(401);
    model.script((request, response) =>
      (/inscrevo/.test(questionOf(request)) ? broken : answers)(request, response),
    );
    await enter('comecar');
    await begin(site.origin);
    await trouble('Nem todas as perguntas foram respondidas');
    await trouble('pode faltar a chave dele');
    await page.getByText('De 1 pergunta: 1 com resposta do site').waitFor();
    await check();
    model.script(answers);
    await button('Tentar de novo').click();
    await page.getByText('De 2 perguntas: 1 com resposta do site').waitFor();
  });
});
