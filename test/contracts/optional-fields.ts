import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { type Field, partOf, type Shape } from '../../queues/contract/shape.ts';
import { declaredLengths } from '../queues/declared-lengths.ts';
import { type Contract, eachAmong, openContract } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import { checkedOperations, comparable, type Fields, send } from '../support/operation-calls.ts';

const SOME_ID = randomUUID();

export function describeOptionalFields(asked: readonly OperationName[]): void {
  const eachOf = eachAmong(asked);
  describe('in the body of every operation', () => {
    const contract = openOnce(() => openContract());
    const { service, samples } = contract;
    const ask = (name: OperationName, body: unknown) => send(service, name, body);

    eachOf(checkedOperations, 'takes null in an optional field for a field that is not given', async name => {
      const sample = samples[name];
      const optional = fieldsOf(operationOf(name).body).filter(({ isRequired }) => !isRequired);
      const absent = optional.filter(field => !(field.name in sample));
      const nulls = Object.fromEntries(absent.map(field => [field.name, null]));
      const { status, body } = await ask(name, { ...nulls, ...sample });
      // Some samples can be created only once.
      expect(status, JSON.stringify(body)).to.be.oneOf([operationOf(name).status, 409]);
      // The others were null in that body.
      for (const { name: field, takesNull } of optional.filter(({ name: given }) => given in sample)) {
        const refused = await ask(name, { ...sample, [field]: null });
        const named = refused.body.data?.fields?.map(({ path }: { readonly path: string }) => path) ?? [];
        // A generally optional field may be required here: then it is reported as missing, not as the wrong type.
        const messages = JSON.stringify(refused.body.data?.fields ?? []);
        if (named.includes(field) && !takesNull) expect(messages).to.include('required');
        else expect(refused.status, `${field}: ${messages}`).to.be.below(500);
      }
    });

    eachOf(checkedOperations, 'refuses null in a field that is required', async name => {
      for (const { name: field, isRequired } of fieldsOf(operationOf(name).body)) {
        if (!isRequired) continue;
        const { status, body } = await ask(name, { ...samples[name], [field]: null });
        expect([status, body.data.fields?.[0]?.path]).to.deep.equal([400, field]);
      }
    });

    /** The lists of ids in a body: filters of a list, and objects of a change. */
    const idLists = (name: OperationName) =>
      declaredLengths(operationOf(name).body)
        .filter(({ kind, path }) => kind === 'list' && !path.includes('['))
        .filter(({ bodyWith }) => isTaken(name, bodyWith([SOME_ID])) && !isTaken(name, bodyWith(['text'])))
        .map(({ path }) => path);
    const isRead = (name: OperationName) => partOf(operationOf(name).data).kind === 'list';
    const withIds = checkedOperations.filter(name => idLists(name).length > 0);

    eachOf(
      withIds.filter(isRead),
      'finds nothing by an id that nobody has, and all else by the others',
      async name => {
        for (const field of idLists(name)) {
          const sample = samples[name];
          const none = await ask(name, { ...sample, [field]: [randomUUID(), SOME_ID] });
          expect([none.status, none.body.data], field).to.deep.equal([200, []]);
          const known = (sample[field] as string[] | undefined) ?? [await someAvatar(contract)];
          const found = await ask(name, { ...sample, [field]: known });
          const both = await ask(name, { ...sample, [field]: [...known, randomUUID()] });
          expect(comparable(both)).to.deep.equal(comparable(found));
        }
      },
    );

    eachOf(
      withIds.filter(name => !isRead(name)),
      'changes nothing for an id that nobody has, which is 404',
      async name => {
        for (const field of idLists(name)) {
          const fresh = { sub_slug: `novo-${Date.now()}` };
          const { status } = await ask(name, { ...samples[name], ...fresh, [field]: [randomUUID()] });
          // The dataset of a chunk is validated earlier, because the chunk stays in it. A host that there is not is like a foreign one.
          const others: Partial<Record<OperationName, number>> = { editChunk: 400, issueToken: 403 };
          expect(status, field).to.equal(others[name] ?? 404);
        }
      },
    );
  });
}

function fieldsOf(shape: Shape<unknown>): readonly Field[] {
  const part = partOf(shape);
  if (part.kind === 'object') return part.fields;
  return part.kind === 'choice' ? part.among.flatMap(each => fieldsOf(each)) : [];
}

/** Whether the one field of this body may have its value. */
function isTaken(name: OperationName, body: unknown): boolean {
  const [[field, value] = ['']] = Object.entries(body as Fields);
  const shape = fieldsOf(operationOf(name).body).find(each => each.name === field)?.shape;
  return shape !== undefined && shape.validate(value).error === undefined;
}

async function someAvatar({ service, demo }: Contract): Promise<string> {
  const { body } = await send(service, 'listAvatars', { host_slug: demo.slug });
  return body.data.avatarsAdminList.avatars[0].avatar_id;
}
