import { functionsOf, isForPerson } from '../../workers/domain/rest-tools/read-functions.ts';
import { formatRestAnswer } from '../../workers/domain/rest-tools/rest-answer.ts';
import { authErrorsOf, authorize, withoutSecret } from '../../workers/domain/rest-tools/rest-auth.ts';
import { requestOf } from '../../workers/domain/rest-tools/rest-request.ts';

/** A REST tool with this text in all its places, a call of it, and the answer. */
export function readRestTool(text: string): void {
  const path = { path: `/${text}/{a}`, pick: [`/${text}`], headers: [{ argument: 'a', name: text }] };
  const described = { ...path, name: text, description: text, method: 'POST' as const };
  const called = { ...described, arguments: { properties: { a: {}, [text]: {} } } };
  functionsOf({ functions: [called] });
  isForPerson(called);
  authErrorsOf({ kind: 'header', name: text, user: text, secret: text });
  const query = [{ argument: text }, { argument: 'a' }];
  const plain = { ...called, path: '/{a}', headers: [], query };
  const request = requestOf('https://erp.example', plain, { a: text, [text]: { [text]: [text] } });
  if (!('error' in request)) authorize(request, { kind: 'query', name: text }, text);
  const shown = withoutSecret(JSON.stringify({ [text]: text }), { kind: 'basic', user: text }, 'a');
  formatRestAnswer({ status: 200, mediaType: '', text: shown }, called.pick);
}
