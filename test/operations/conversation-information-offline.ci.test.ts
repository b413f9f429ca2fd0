import { expect } from 'chai';
import { withModelServer } from '../offline-model/with-model-server.ts';
import { informationOf, waitForInsights } from '../support/insight-answers.ts';
import { startService } from '../support/service.ts';

describe('conversation information without a real model', () => {
  it('is told by rules, sensibly, and says so', async () => {
    await withModelServer(async ({ settings }) => {
      const service = await startService({ ...settings, insightConcurrency: 4 });
      try {
        const told = async (conversationId: string) => {
          await waitForInsights(service, conversationId);
          return (await informationOf(service, conversationId)).body.data;
        };
        const upset = await service.newConversation();
        await service.ask('Péssimo atendimento, quero falar com um atendente', { conversationId: upset });
        const curious = await service.newConversation();
        await service.ask('Oi', { conversationId: curious });
        const [cold, cross] = await Promise.all([told(curious), told(upset)]);
        await service.ask('Quero me matricular em Direito, quanto custa a mensalidade?', {
          conversationId: curious,
        });
        await service.ask('Obrigada! Meu nome é Ana Luz. Meu e-mail é ana@example.com', {
          conversationId: curious,
        });
        const data = await told(curious);
        expect(data.dialogue_summary).to.contain('Quero me matricular em Direito');
        expect(data.main_topic).to.contain('Financeiro').and.contain('Matrícula');
        expect(data.tip).to.contain('contato');
        expect(data.user_name).to.equal('Ana Luz');
        expect(data.heat_score).to.be.above(cold.heat_score + 20);
        expect(data.sentiment_score).to.be.above(0);
        expect(data.heat_score_description).to.contain('Estimado por regras, sem modelo de linguagem');
        expect(data.sentiment_score_explanation).to.contain('Estimado por regras, sem modelo de linguagem');
        expect(cross.sentiment_score).to.be.below(0);
        expect(cross.ask_human_help).to.equal(true);
        expect(cross.tip).to.contain('insatisfação');
      } finally {
        await service.close();
      }
    });
  });
});
