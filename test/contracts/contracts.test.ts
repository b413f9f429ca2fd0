import { expect } from 'chai';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { expectRefused, representatives } from '../support/contract.ts';
import { pathsOf } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';
import { describeBadInput } from './bad-input.ts';
import { describeCalls } from './calls.ts';
import { describeDocumentedAnswers } from './documented-answers.ts';
import { describeOptionalFields } from './optional-fields.ts';
import { describePrivateAnswers } from './private-answers.ts';
import { describeTenancy } from './tenancy.ts';

describeCalls(representatives);
describeTenancy(representatives);
describeOptionalFields(representatives);
describePrivateAnswers(representatives);
describeDocumentedAnswers(representatives);
describeBadInput(representatives);

const SCOPES = {
  none: 'findJob',
  reason:
    'reason createConversation getConversationInformation updateConversation appendMessage listConversations ' +
    'listMessages listAvatars readCitedPassage listChatModels readChatModel readResponse listColleagues ' +
    'listSavedReplies saveSavedReply saveFeedback listTeams readAttendance saveConsent listConsents',
  intake: 'receiveTicket receiveDeal receiveObject listIntakeRecords replayRecords',
  report:
    'conversationalStats financialStats getSpend getKnowledgeGaps getOutcomes getTeamStats getAttendanceStats',
  search: 'searchFulltext searchHybrid searchUnified searchPhone',
  'search:write': 'queueSearchEvents searchEventsHealth',
  admin:
    'createHost saveHost listHosts saveContract listContracts issueToken revokeToken listTokens saveMapping listMappings tryMapping ' +
    'saveSource listSources saveHostProvider listHostProviders listAudit listPeople savePerson invitePerson endSessions ' +
    'searchStats reindex searchHealth',
};

describe('the declared operations', () => {
  const service = openService();

  it('has paths that no other has', () => {
    const routes = operationNames.flatMap(name =>
      pathsOf(name).map(path => `${operationOf(name).method} ${path.replaceAll(/:\w+/g, ':')}`),
    );
    expect(routes).to.deep.equal([...new Set(routes)]);
  });

  it('needs the scope that is written here, and to manage where it is not', () => {
    const named = new Map(
      Object.entries(SCOPES).flatMap(([scope, names]) => names.split(' ').map(name => [name, scope])),
    );
    const needed = operationNames.map(name => [name, named.get(name) ?? 'manage']);
    expect(operationNames.map(name => [name, operationOf(name).scope ?? 'none'])).to.deep.equal(needed);
  });

  it('leaves 404 to the addresses where there is none', async () => {
    for (const address of ['/api', '/api/externalAPIs/public', '/jobs', '/jobs/a/b', '//api']) {
      expectRefused(await service.call(address, undefined, { token: undefined }), 'not-found');
      expectRefused(await service.call(address, {}), 'not-found');
    }
  });
});
