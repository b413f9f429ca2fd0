import { expect } from 'chai';
import { openService } from '../support/service.ts';
import { openPage } from './browser.ts';

const CPF = '529.982.247-25';

describe('the queue board at /admin/queues', () => {
  const service = openService();
  const watched = openPage(() => ({
    httpCredentials: { username: 'ops', password: service.settings.opsPassword ?? '' },
  }));
  const { page } = watched;
  const [answered, refused] = [new Set<string>(), new Set<string>()];
  before(async () => {
    page.on('response', response =>
      (response.status() < 400 ? answered : refused).add(new URL(response.url()).pathname),
    );
    await service.ask(`O meu CPF é ${CPF}`, {}, { headers: { 'x-request-id': 'seen-on-the-board' } });
  });

  it('lists every queue', async () => {
    await page.goto(`${service.baseURL}/admin/queues`);
    for (const queue of ['turns', 'catalog', 'intake', 'search', 'reports'])
      await page.getByText(queue, { exact: true }).first().waitFor();
  });

  it('shows a job by its operation, request and outcome, without what was said', async () => {
    await page.goto(`${service.baseURL}/admin/queues/queue/turns?status=completed`);
    await page.getByText('seen-on-the-board').first().waitFor();
    const text = await page.locator('body').innerText();
    expect(text).to.include('reason').and.include(service.demo.hostId);
    expect(text).not.to.include(CPF.slice(0, 7)).and.not.to.include('sealed');
  });

  it('offers no change to a job, being read-only', async () => {
    const names = await page
      .locator('button')
      .evaluateAll<string[], { title?: string }>(all =>
        all.map(button => `${button.textContent} ${button.title} ${button.getAttribute('aria-label')}`),
      );
    expect(names.join('\n')).not.to.match(/retry|clean|remove|promote|pause/i);
  });

  it('asks nothing of any other machine, and runs into nothing', () => {
    expect(watched.outside(service.baseURL)).to.deep.equal([]);
    // The board asks again and again: where the machine is busy, one of its calls may be refused.
    expect([...refused].filter(path => !answered.has(path))).to.deep.equal([]);
    const isRefused = (text: string) => text.includes('responded with a status of 503');
    expect(watched.complaints.filter(text => !isRefused(text))).to.deep.equal([]);
  });
});
