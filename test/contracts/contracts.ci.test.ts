import { operationNames } from '../../queues/contract/operations/index.ts';
import { isRepresentative } from '../support/contract.ts';
import { describeBadInput } from './bad-input.ts';
import { describeCalls } from './calls.ts';
import { describeDocumentedAnswers } from './documented-answers.ts';
import { describeOptionalFields } from './optional-fields.ts';
import { describePrivateAnswers } from './private-answers.ts';
import { describeTenancy } from './tenancy.ts';

const others = operationNames.filter(name => !isRepresentative(name));

describeCalls(others);
describeTenancy(others);
describeOptionalFields(others);
describePrivateAnswers(others);
describeDocumentedAnswers(others);
describeBadInput(others);
