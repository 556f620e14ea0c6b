import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { weftCommand } from '../../http/version.ts';
import { type ExitCode, type Io, UsageError } from '../io.ts';
import { shownPath } from '../local/load-flow-files.ts';
import { operatorTemplate, operatorTestTemplate } from '../local/operator-template.ts';
import { readSettings } from '../local/project.ts';

const TYPE = /^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/;

/** `weft new operator`: writes a commented operator with a test into the user's folder; never overwrites a file. */
export function newOperator(type: string, io: Io): ExitCode {
  if (!TYPE.test(type))
    throw new UsageError(
      `${type} is not a valid operator name: write group.name, with a-z, 0-9, _ and -, such as text.initials.`,
    );
  const folder = readSettings(io).operators;
  const file = join(folder, `${type.replace('.', '/')}.ts`);
  const test = file.replace(/\.ts$/, '.test.ts');
  writeNew(file, operatorTemplate(type), io);
  writeNew(test, operatorTestTemplate(type), io);
  io.stdout.write(
    `Its test: node --test ${shownPath(io.cwd, test)}\nAll of them: ${weftCommand} operators\n`,
  );
  return 0;
}

function writeNew(path: string, text: string, io: Io): void {
  const shown = shownPath(io.cwd, path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new UsageError(`${shown} already exists; choose another name, or remove it.`);
    throw new UsageError(`${shown} cannot be written (${code}).`);
  }
  io.stdout.write(`wrote ${shown}\n`);
}
