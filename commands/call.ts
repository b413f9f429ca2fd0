import { type OperationName, operationNames } from '../queues/contract/operations/index.ts';
import { wordsOf } from './call-fields.ts';
import { describeOperation, listOperations } from './call-help.ts';
import { callOperation } from './call-operation.ts';
import { isForCommands } from './run-operation.ts';

/* `npm run call -- OPERATION`: any operation of the contract, as an operator on the machine. */

const [name = '--help', ...args] = process.argv.slice(2);
const words = wordsOf(args);

if (name === '--help' || name === '-h') console.log(listOperations());
else if (!isOperation(name)) fail(`There is no operation "${name}": see --help.`);
else if (!isForCommands(name)) fail(`${name} takes documents: send it to the API.`);
else if (words.flags.has('help')) console.log(describeOperation(name));
else await callOperation(name, words);

function isOperation(text: string): text is OperationName {
  return (operationNames as readonly string[]).includes(text);
}

function fail(text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
