import type { JsonObject } from '../../../platform/json-object.ts';

/** A function of a system that is called over HTTP, as a model is offered it. */
export interface RestFunction {
  readonly name: string;
  readonly description: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the names of arguments in braces: `/boletos/{cpf}`. */
  readonly path: string;
  readonly query?: readonly ArgumentPlace[];
  readonly headers?: readonly ArgumentPlace[];
  readonly cookies?: readonly ArgumentPlace[];
  /** How the other arguments are sent. When absent: as JSON, or in the query where the method has no body. */
  readonly body?: 'json' | 'form' | 'multipart' | 'text';
  readonly arguments: JsonObject;
  /** JSON Pointers, with `*` for each item, of what the model gets of the answer. When absent: all of it. */
  readonly pick?: readonly string[];
  /** `person`: the call is made when the person has said yes. When absent: `none` for GET and HEAD, otherwise `person`. */
  readonly confirm?: 'person' | 'none';
}

export interface ArgumentPlace {
  readonly argument: string;
  /** Its name there. When absent: that of the argument. */
  readonly name?: string;
  readonly style?: 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'simple';
  readonly explode?: boolean;
}
