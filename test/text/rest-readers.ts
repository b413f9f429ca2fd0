import { functionsOf, isForPerson } from '../../workers/domain/rest-tools/read-functions.ts';
import { formatRestAnswer } from '../../workers/domain/rest-tools/rest-answer.ts';
import {
  authErrorsOf,
  authorize,
  secretNamesOf,
  signInsOf,
  withoutSecrets,
} from '../../workers/domain/rest-tools/rest-auth.ts';
import { requestOf } from '../../workers/domain/rest-tools/rest-request.ts';

/** A REST tool with this text in all its places, a call of it, and the answer. */
export function readRestTool(text: string): void {
  const path = { path: `/${text}/{a}`, pick: [`/${text}`], headers: [{ argument: 'a', name: text }] };
  const described = { ...path, name: text, description: text, method: 'POST' as const };
  const called = { ...described, arguments: { properties: { a: {}, [text]: {} } } };
  functionsOf({ functions: [called] });
  isForPerson(called);
  const header = { kind: 'header' as const, name: text, user: text, secret: text };
  const auth = [header, { ...header, kind: 'query' as const }];
  authErrorsOf(auth, () => text);
  signInsOf({ auth, secretNames: secretNamesOf(auth, { auth: header }) }, { [text]: text });
  const query = [{ argument: text }, { argument: 'a' }];
  const plain = { ...called, path: '/{a}', headers: [], query };
  const request = requestOf('https://erp.example', plain, { a: text, [text]: { [text]: [text] } });
  if (!('error' in request)) authorize(request, [{ kind: 'query', name: text, secret: text }]);
  const shown = withoutSecrets(JSON.stringify({ [text]: text }), [
    { kind: 'basic', user: text, secret: 'a' },
  ]);
  formatRestAnswer({ status: 200, mediaType: '', text: shown }, called.pick);
}
