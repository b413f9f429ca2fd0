import { baseURLOf, readDescribed } from '../../../workers/domain/rest-tools/described-choice.ts';
import { readOpenApi } from '../../../workers/domain/rest-tools/read-openapi.ts';

const operationOf = (text: string, mediaType: string) => ({
  operationId: text,
  summary: text,
  description: text,
  parameters: [{ in: 'query', name: text, description: text, schema: { pattern: text, $ref: text } }],
  requestBody: { content: { [mediaType]: { schema: { properties: { [text]: { description: text } } } } } },
});

/** What reads a stranger’s description. */
export const openApiReaders: Readonly<Record<string, (text: string) => unknown>> = {
  readOpenApi,
  baseURLOf: text => [baseURLOf(`https://a.example/${text}`, [`/${text}`]), baseURLOf(text, [text])],
  readDescribed: text => {
    const operation = operationOf(text, 'application/json');
    const described = JSON.stringify({ openapi: '3.1.0', paths: { [`/${text}`]: { get: operation } } });
    readDescribed(described, { kind: 'list' });
    return readDescribed(described, { kind: 'take', operations: [text, text], max: 100 });
  },
  readDescribedTexts: text =>
    readOpenApi(
      JSON.stringify({
        openapi: '3.1.0',
        servers: [{ url: `/${text}`, variables: { [text]: { default: text, enum: [text] } } }],
        components: {
          securitySchemes: { a: { type: 'apiKey', in: 'header', name: text, description: text } },
        },
        paths: {
          [`/${text}`]: { $ref: `#/${text}` },
          '/a': { post: operationOf(text, 'application/json') },
          '/b': { post: operationOf(text, text) },
        },
      }),
    ),
};
